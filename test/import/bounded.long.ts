import './bounded.test.ts';
