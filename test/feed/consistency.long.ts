import './consistency.test.ts';
