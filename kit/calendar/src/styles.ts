/** How weeks and months look. Where there is little room, a week is a list and a month counts its shifts. */
export const GRID_STYLES = `
[part~="week"] [part~="empty-day"] { font-size: 0.9375em; }
@container (inline-size >= 50rem) {
  [part~="week"] {
    display: grid; grid-template-columns: repeat(7, minmax(0, 1fr));
    border-block: 1px solid var(--_line);
  }
  [part~="week"] > [part~="day"] {
    border-block-start: 0; padding: 0.375em; align-content: start; min-block-size: 14em;
  }
  [part~="week"] > [part~="day"] + [part~="day"] { border-inline-start: 1px solid var(--_line); }
  [part~="week"] > [part~="day-today"] { box-shadow: inset 0 3px var(--_accent); }
  [part~="week"] [part~="day-heading"] { font-size: 0.9375em; min-block-size: 4.75em; align-content: start; }
  [part~="week"] [part~="weekday"], [part~="week"] [part~="date"] { flex-basis: 100%; }
  [part~="week"] [part~="shift"] { flex-direction: column; flex-wrap: nowrap; align-items: stretch; gap: 0; padding-block: 0.375em; padding-inline: 0.75em 0.375em; font-size: 0.875em; background: var(--_tint); border-color: var(--_line); }
  [part~="week"] [part~="shift"]:hover { border-color: currentcolor; }
  [part~="week"] [part~="row"] { content-visibility: auto; contain-intrinsic-block-size: auto 4.5em; }
  [part~="week"] [part~="time"] { min-inline-size: 0; flex: none; }
  [part~="week"] [part~="text"] { flex: none; flex-direction: column; inline-size: 100%; }
  [part~="week"] [part~="marks"] { margin-block-start: 0.25em; }
  [part~="week"] [part~="details"] { font-size: 0.8125em; padding-inline: 0.375em; }
  [part~="week"] [part~="empty-day"] { padding-inline: 0; font-size: 0.875em; }
}

[part~="month-grid"] { inline-size: 100%; table-layout: fixed; border-collapse: collapse; }
[part~="weekday-name"] { padding: 0.375em; font-weight: 600; font-size: 0.875em; text-align: start; overflow: hidden; }
[data-form="narrow"] { display: none; }
[part~="cell"] { padding: 0; border: 1px solid var(--_line); block-size: 7.25em; vertical-align: top; }
[part~="cell-outside"] { background: var(--_tint); border-style: dotted; }
[part~="cell-outside"] [part~="day-number"] { color: var(--_muted); font-size: 0.8125em; }
[part~="day-button"] {
  appearance: none; display: block; inline-size: 100%; block-size: 100%; min-block-size: inherit; margin: 0; padding: 0.25em;
  font: inherit; font-size: 0.875em; color: inherit; background: transparent; border: 2px solid transparent;
  text-align: start; vertical-align: top; cursor: pointer;
}
[part~="day-button"]:hover { background: var(--_tint); border-color: var(--_line); }
[part~="cell"][aria-selected="true"] > [part~="day-button"] { border-color: var(--_accent); }
[part~="seen"] { display: flex; flex-direction: column; gap: 0.125em; block-size: 100%; min-inline-size: 0; }
[part~="spoken"] { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[part~="day-number"], [part~="count"] { display: grid; place-content: center; inline-size: 1.75em; block-size: 1.75em; border-radius: 50%; }
[part~="day-number"] { align-self: start; }
[part~="cell-today"] [part~="day-number"] { font-weight: 700; border: 1px solid var(--_accent); }
[part~="chip"] {
  display: flex; align-items: baseline; gap: 0.25em; overflow: hidden; white-space: nowrap; font-size: 0.875em;
  padding-inline: 0.5em 0.375em; border: 1px solid transparent; border-inline-start: 0; position: relative; background: var(--_tint);
}
[part~="chip-open"] { border-style: dashed; border-color: var(--_mark); }
[part~="chip-open"]::after { border-inline-start-style: dashed; }
[part~="chip-cancelled"] { text-decoration: line-through; color: var(--_muted); --_mark: var(--_line); }
[part~="chip-time"] { font-weight: 500; }
/* Both are boxes, so that each loses its end, whichever side that is. Something is seen of every name. */
[part~="chip-time"], [part~="chip-name"] { min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; }
[part~="chip-name"] { flex: 1 0 2.5em; inline-size: 0; }
[part~="chip-starred"]::before { flex: none; margin: 0; }
[part~="more"] { font-size: 0.875em; color: var(--_muted); padding-inline: 0.375em; }
[part~="count"] { display: none; font-size: 0.8125em; border: 1px solid var(--_accent); }
[part~="chosen-day"] { margin-block-start: 1em; }

/* Firefox prints before it knows how wide the calendar is, so little room is the exception and not the rule. */
@container (inline-size < 40rem) {
  [part~="weekday-name"] { text-align: center; padding-inline: 0; }
  [data-form="narrow"] { display: inline; }
  [part~="cell"] { block-size: 3.25em; }
  [part~="day-button"] { text-align: center; }
  [part~="seen"] { align-items: center; }
  [part~="day-number"] { align-self: auto; }
  [part~="chip"], [part~="more"], [data-form="short"] { display: none; }
  [part~="count"] { display: grid; }
}
@media (forced-colors: active) {
  [part~="day-button"] { border-color: Canvas; }
  [part~="cell"][aria-selected="true"] > [part~="day-button"] { border-color: Highlight; }
  [part~="week"] > [part~="day-today"] { border: 2px solid Highlight; }
  [part~="cell-today"] [part~="day-number"] { border: 2px solid Highlight; }
}
@media print {
  [part~="week"] [part~="row"] { content-visibility: visible; }
  [part~="cell"] { break-inside: avoid; }
}
`;

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
  padding-inline-start: 0.5em; border-inline-start: 0.1875em solid var(--_mark);
  break-inside: avoid;
}
[part~="board-name"] { flex: 1 1 6em; min-inline-size: 0; font-weight: 600; overflow-wrap: anywhere; text-align: -webkit-match-parent; text-align: match-parent; }
[part~="board-on"] [part~="board-name"] { font-size: 1.25em; line-height: 1.15; }
[part~="board-details"] { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: 0 0.75em; font-size: max(0.875rem, 0.75em); color: var(--_muted); overflow-wrap: anywhere; }
[part~="board-next"], [part~="board-open"] { font-size: max(1rem, 0.8125em); }
[part~="board-open"] [part~="board-line"] { border-inline-start-style: dashed; }
[part~="board-detail"] { text-align: -webkit-match-parent; text-align: match-parent; }
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
