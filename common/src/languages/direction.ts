export { directionOf } from './languages.ts';
