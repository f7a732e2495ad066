import './serve.test.ts';
