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
  [part~="week"] [part~="shift"] { flex-direction: column; flex-wrap: nowrap; align-items: stretch; gap: 0; padding: 0.375em; font-size: 0.875em; background: var(--_tint); border-block-color: var(--_line); border-inline-end-color: var(--_line); }
  [part~="week"] [part~="shift"]:hover { border-block-color: currentcolor; border-inline-end-color: currentcolor; }
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
[part~="day-number"] { min-inline-size: 1.75em; line-height: 1.75em; text-align: center; align-self: start; }
[part~="cell-today"] [part~="day-number"] {
  font-weight: 700; border: 1px solid var(--_accent); border-radius: 1em; margin: -1px;
}
[part~="chip"] {
  display: flex; align-items: baseline; gap: 0.25em; overflow: hidden; white-space: nowrap; font-size: 0.875em;
  padding-inline: 0.375em; border: 1px solid transparent; border-inline-start: 3px solid var(--shift-calendar-group, var(--_accent));
  background: var(--_tint);
}
[part~="chip-open"] { border-style: dashed; border-color: var(--shift-calendar-group, var(--_accent)); }
[part~="chip-cancelled"] { text-decoration: line-through; color: var(--_muted); border-inline-start-color: var(--_line); }
[part~="chip-time"] { font-weight: 500; }
/* The name is a box with a direction of its own, so that it loses its end, whichever side that is. */
[part~="chip-name"] { min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; }
[part~="chip-starred"]::before { flex: none; margin: 0; }
[part~="more"] { font-size: 0.875em; color: var(--_muted); padding-inline: 0.375em; }
[part~="count"] { display: none; font-size: 0.8125em; min-inline-size: 1.5em; border: 1px solid var(--_accent); border-radius: 1em; }
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
  [part~="count"] { display: inline; }
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
