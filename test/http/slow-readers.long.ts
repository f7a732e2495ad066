import './slow-readers.test.ts';
