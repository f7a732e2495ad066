import './recipes.test.ts';
