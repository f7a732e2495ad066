import './never-a-third.test.ts';
