import './atomic.test.ts';
