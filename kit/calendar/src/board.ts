/** The board on a wall: who is on now. It is loaded when it is first asked for. */

export { makeBoardPane } from './board-pane.ts';
export { boardRhythm } from './board-rhythm.ts';
export { BOARD_STYLES } from './board-styles.ts';
