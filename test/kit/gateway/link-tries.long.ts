import './link-tries.test.ts';
