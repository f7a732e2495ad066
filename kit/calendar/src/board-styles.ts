/**
 * How the board looks. It is as high as the page lets it be, at most as the screen, and its type follows the size of
 * both. Where it is small, as on a phone, the page scrolls instead.
 */
export const BOARD_STYLES = `
[part~="board"] {
  --_size: min(2.5cqi, 4.4svb);
  font-size: max(1rem, var(--_size)); line-height: 1.25;
  display: flex; flex-direction: column; gap: 0.5em; min-block-size: 0; position: relative;
}
[part~="board-header"] {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.25em 1em;
  padding-block-end: 0.375em; border-block-end: 2px solid var(--_line);
}
[part~="board-title"] { font-size: 1.25em; font-weight: 600; min-inline-size: 0; overflow-wrap: anywhere; }
[part~="board-now"] { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.75em; }
[part~="board-date"] { color: var(--_muted); }
[part~="board-clock"] { font-size: 1.75em; font-weight: 600; line-height: 1.1; }
[part~="board-state"] {
  padding: 0.125em 0.5em; border: 2px dashed currentcolor; border-radius: var(--_radius); align-self: start;
  font-size: max(1rem, 0.75em); font-weight: 600;
}
[part~="board-sections"] { display: grid; gap: 1em 2em; align-items: start; align-content: start; }
[part~="board-section"] { min-inline-size: 0; }
[part~="board-heading"] { font-size: max(0.875rem, 0.875em); font-weight: 600; margin-block-end: 0.375em; }
[part~="board-lines"] { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15em), 1fr)); gap: 0.5em 1em; align-items: start; }
[part~="board-line"] {
  display: flex; flex-wrap: wrap; gap: 0 0.75em; align-items: baseline; min-inline-size: 0;
  padding-inline-start: 0.5em; border-inline-start: 0.1875em solid var(--shift-calendar-group, var(--_accent));
  break-inside: avoid;
}
[part~="board-name"] { flex: 1 1 6em; min-inline-size: 0; font-weight: 600; overflow-wrap: anywhere; text-align: -webkit-match-parent; text-align: match-parent; }
[part~="board-on"] [part~="board-name"] { font-size: 1.25em; line-height: 1.15; }
[part~="board-details"] { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: 0 0.75em; font-size: max(0.875rem, 0.75em); color: var(--_muted); overflow-wrap: anywhere; }
[part~="board-next"], [part~="board-open"] { font-size: max(1rem, 0.8125em); }
[part~="board-open"] [part~="board-line"] { border-inline-start-style: dashed; }
[part~="board-more"] { margin-block-start: 0.5em; font-weight: 600; }
[part~="board-none"] { font-size: 1.125em; }
[part~="spoken"] { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

@media (orientation: portrait) {
  [part~="board"] { --_size: min(4.4cqi, 2.5svb); }
}
@media (orientation: landscape) {
  @container (inline-size >= 50rem) {
    [part~="board-sections"] { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); grid-template-rows: auto 1fr; }
    [part~="board-on"] { grid-row: 1 / 3; }
    [part~="board-on"]:only-child { grid-column: 1 / -1; }
  }
}
@media screen and (width >= 40rem) and (height >= 25rem) {
  [part~="calendar"], [part~="body"] { display: flex; flex-direction: column; min-block-size: 0; }
  [part~="calendar"] { block-size: 100%; max-block-size: 100dvb; }
  [part~="body"], [part~="board"] { flex: 1 1 auto; }
  [part~="board"] { overflow: hidden; font-size: max(1rem, calc(var(--_size) * var(--_scale, 1))); }
}
@media print {
  [part~="board"] { font-size: 14pt; }
}
`;
