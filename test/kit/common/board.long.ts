import './board.test.ts';
