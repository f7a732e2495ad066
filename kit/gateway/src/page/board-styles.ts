/** The look of a board's page: its type follows the size of the screen, which the board fills. */
export const BOARD_STYLES = `
html body:has(.board) { max-width: none; padding: clamp(.75rem, 2.5vmin, 3rem); }
.board { font-size: max(1rem, min(2.5vw, 4.4vh)); line-height: 1.25; }
.board h1 { font-size: 1.25em; }
.board h2 { font-size: max(.875rem, .75em); }
.board .updated, .board .where { font-size: max(.875rem, .75em); }
.board section { margin-top: .75em; }
.board li { grid-template-columns: minmax(0, 1fr) auto; padding: .25em 0; }
.board .where { grid-column: 1 / -1; }
.board .on .what { font-size: 1.25em; }
.board .next, .board .open { background: none; color: inherit; display: block; font-size: max(1rem, .8125em); padding: 0; }
.board .none { margin-top: 0; }
.board shift-calendar { margin-top: 0; }
.board:has(shift-calendar:defined) h1 { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; white-space: nowrap; width: 1px; }
.board shift-calendar:defined { font-size: 1rem; }
@media screen and (min-width: 40rem) and (min-height: 25rem) {
  body:has(.board shift-calendar:defined) { height: 100vh; height: 100dvh; }
  .board:has(shift-calendar:defined) { display: flex; flex-direction: column; height: 100%; }
  .board shift-calendar:defined { flex: 1 1 auto; min-height: 0; }
}
@media print {
  .board { font-size: 14pt; }
}
`;
