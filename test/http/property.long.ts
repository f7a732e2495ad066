import './property.test.ts';
