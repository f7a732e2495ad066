import './soak.test.ts';
