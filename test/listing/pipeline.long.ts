import './pipeline.test.ts';
