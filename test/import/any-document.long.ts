import './any-document.test.ts';
