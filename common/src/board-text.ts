export { type BoardSection, type BoardWriter, writeBoard, writeUpdated } from './board.ts';
