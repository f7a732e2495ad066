import './board-week.test.ts';
