export { foldName } from './names.ts';
