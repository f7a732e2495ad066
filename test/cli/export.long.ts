import './export.test.ts';
