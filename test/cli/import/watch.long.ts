import './watch.test.ts';
