import './turns.test.ts';
