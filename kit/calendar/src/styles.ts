/**
 * How the calendar looks. Font and text colour are those of the page, and lines are mixed from that colour, so that it
 * fits light and dark pages alike. Text is never mixed and has no tint behind it: what lies behind the calendar is not
 * known here, and where the text of a page is just strong enough to be read, that of the calendar has to be, too. Parts
 * serve as the names here as well: what a page can style is what is styled here. Properties of its own begin with an
 * underscore: a page may well have an --accent itself, and give the calendar just that.
 */
export const STYLES = `
:host {
  --_accent: var(--shift-calendar-accent, color-mix(in oklab, currentcolor 30%, #2f7cf6));
  --_line: var(--shift-calendar-line, color-mix(in srgb, currentcolor 16%, transparent));
  --_muted: var(--shift-calendar-muted, currentcolor);
  --_tint: var(--shift-calendar-tint, transparent);
  --_radius: var(--shift-calendar-radius, 0.5em);
  display: block;
  container-type: inline-size;
  min-inline-size: min(100%, 16rem);
  text-align: start;
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
h2, h3, p, ul { margin: 0; padding: 0; font: inherit; }
ul { list-style: none; }

[part~="calendar"] { --_time-width: 7.25em; font-variant-numeric: tabular-nums; line-height: 1.4; }
[part~="calendar"][data-clock="12"] { --_time-width: 10em; }
[part~="header"] {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between;
  gap: 0.5em 1.5em; margin-block-end: 1em;
}
[data-view="now"] > :is([part~="header"], [part~="zone"], [part~="earlier"], [part~="later"]) { display: none; }
[part~="heading"] { min-inline-size: 0; }
[part~="title"] { font-size: 1.25em; font-weight: 600; text-wrap: balance; }
[part~="period"] { color: var(--_muted); }
[part~="toolbar"] { display: flex; flex-wrap: wrap; gap: 0.5em 0.75em; }
[part~="navigation"], [part~="views"] { display: flex; }
[part~="zone"] { color: var(--_muted); font-size: 0.875em; margin-block-end: 1em; }

[part~="button"] {
  appearance: none; margin: 0; padding: 0.375em 0.75em; min-block-size: 2.25em;
  font: inherit; font-size: 0.9375em; color: inherit; background: transparent; cursor: pointer;
  border: 1px solid var(--_line); border-radius: var(--_radius);
}
[part~="button"]:hover { background: var(--_tint); border-color: currentcolor; }
[part~="button"][aria-disabled="true"] { cursor: default; color: var(--_muted); opacity: 0.5; }
[part~="button"][aria-pressed="true"] {
  font-weight: 600; box-shadow: inset 0 -3px var(--_accent);
}
[part~="navigation"] > :not([hidden]) ~ *, [part~="views"] > * + * { margin-inline-start: -1px; }
[part~="views"] > *, [part~="calendar"]:not([data-view="list"]) [part~="navigation"] > * { border-radius: 0; }
[part~="views"] > :first-child, [part~="navigation"] > :first-child {
  border-start-start-radius: var(--_radius) !important; border-end-start-radius: var(--_radius) !important;
}
[part~="views"] > :last-child, [part~="navigation"] > :last-child {
  border-start-end-radius: var(--_radius) !important; border-end-end-radius: var(--_radius) !important;
}
[part~="previous"]::before { content: "‹" / ""; }
[part~="next"]::before { content: "›" / ""; }
:dir(rtl)[part~="previous"]::before { content: "›" / ""; }
:dir(rtl)[part~="next"]::before { content: "‹" / ""; }
[part~="previous"]::before, [part~="next"]::before { font-size: 1.25em; line-height: 1; }
[part~="earlier"] { margin-block-end: 0.5em; border-color: transparent; color: var(--_muted); margin-inline-start: -0.75em; }
[part~="later"] { display: block; inline-size: 100%; margin-block-start: 1em; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
[data-stop]:focus-visible { outline-offset: -2px; }

[part~="status"] { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5em 1em; }
[part~="status"]:has([role="status"] > :not(:empty)) { padding-block: 0.75em; }

[part~="day"] {
  display: grid; gap: 0.5em; padding-block: 0.875em;
  border-block-start: 1px solid var(--_line);
}
[part~="list"] > [part~="day"] {
  content-visibility: auto;
  contain-intrinsic-block-size: auto calc(var(--_rows) * 3.5em + 2em);
}
[part~="day-heading"] { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.5em; align-self: start; padding-block: 0.375em; }
[part~="weekday"] { font-weight: 600; }
[part~="date"] { color: var(--_muted); }
[part~="today-mark"] {
  padding-inline: 0.5em; border: 1px solid var(--_accent); border-radius: 1em;
  font-size: 0.8125em; font-weight: 600;
}
[part~="empty-day"] { color: var(--_muted); padding: 0.375em 0.75em; align-self: start; border-radius: var(--_radius); }
[part~="rows"] { display: grid; gap: 0.25em; min-inline-size: 0; align-content: start; }
[part~="row"] { min-inline-size: 0; }

[part~="shift"] {
  appearance: none; margin: 0; inline-size: 100%; text-align: start; cursor: pointer;
  font: inherit; color: inherit; background: transparent;
  display: flex; flex-wrap: wrap; gap: 0.125em 1em; align-items: baseline;
  padding: 0.375em 0.75em; border: 1px solid transparent;
  border-inline-start: 3px solid var(--shift-calendar-group, var(--_accent)); border-radius: 0 var(--_radius) var(--_radius) 0;
}
:dir(rtl)[part~="shift"] { border-radius: var(--_radius) 0 0 var(--_radius); }
[part~="shift"]:hover { background: var(--_tint); border-block-color: var(--_line); border-inline-end-color: var(--_line); }
[part~="time"] { flex: 0 0 auto; min-inline-size: var(--shift-calendar-time-width, var(--_time-width)); font-weight: 500; }
[part~="text"] { flex: 1 1 9em; min-inline-size: 0; overflow-wrap: anywhere; display: flex; flex-wrap: wrap; gap: 0 0.75em; }
[part~="text"] > *, [part~="details"] > * { text-align: -webkit-match-parent; text-align: match-parent; }
[part~="detail"] { color: var(--_muted); }
[part~="marks"] { display: flex; flex-wrap: wrap; gap: 0.25em; }
[part~="mark"] {
  padding-inline: 0.5em; border: 1px solid currentcolor; border-radius: 1em;
  font-size: 0.8125em; font-weight: 500; white-space: nowrap;
}
[part~="mark-open"] { border-style: dashed; }
[part~="mark"]::before, [part~="chip-starred"]::before {
  content: ""; display: inline-block; inline-size: 0.75em; block-size: 0.75em; margin-inline-end: 0.375em;
  background: currentcolor; forced-color-adjust: none;
}
[part~="mark-open"]::before { background: none; border: 1.5px dashed currentcolor; border-radius: 50%; }
[part~="mark-cancelled"]::before {
  clip-path: polygon(20% 0, 50% 30%, 80% 0, 100% 20%, 70% 50%, 100% 80%, 80% 100%, 50% 70%, 20% 100%, 0 80%, 30% 50%, 0 20%);
}
[part~="mark-starred"]::before, [part~="chip-starred"]::before {
  clip-path: polygon(50% 0, 62% 36%, 100% 38%, 70% 61%, 80% 98%, 50% 76%, 20% 98%, 30% 61%, 0 38%, 38% 36%);
}
[part~="mark-noshow"]::before { clip-path: polygon(50% 0, 100% 100%, 0 100%); }
[part~="shift-open"] { border-inline-start-style: dashed; }
[part~="shift-cancelled"] { border-inline-start-color: var(--_line); }
[part~="shift-cancelled"] > :is([part~="time"], [part~="text"]) { text-decoration: line-through; color: var(--_muted); }
[part~="shift-cancelled"] [part~="detail"] { color: inherit; }
[part~="details"] {
  display: grid; gap: 0.25em; padding: 0.25em 0.75em 0.75em; margin-inline-start: 3px;
  color: var(--_muted); font-size: 0.9375em; overflow-wrap: anywhere; white-space: pre-line;
}

@container (inline-size >= 40rem) {
  [part~="list"] > [part~="day"], [part~="chosen-day"] > [part~="day"] { grid-template-columns: 10em minmax(0, 1fr); gap: 1.5em; }
  [part~="list"] > [part~="day"] { contain-intrinsic-block-size: auto calc(var(--_rows) * 2.5em + 2em); }
  [part~="list"] > [part~="day"] > [part~="day-heading"] { position: sticky; inset-block-start: var(--shift-calendar-sticky-top, 0); }
  [part~="list"] [part~="date"], [part~="chosen-day"] [part~="date"] { flex-basis: 100%; order: 1; }
}
@media (prefers-reduced-motion: no-preference) {
  [part~="button"], [part~="shift"], [part~="day-button"] { transition: background-color 120ms; }
}
@media (prefers-contrast: more) {
  :host { --_line: currentcolor; --_muted: currentcolor; }
}
@media (forced-colors: active) {
  [part~="button"][aria-pressed="true"] { border-block-end-width: 4px; }
  [part~="button"][aria-disabled="true"] { color: GrayText; border-color: GrayText; opacity: 1; }
  [part~="shift"]:hover, [part~="button"]:hover { border-color: Highlight; }
  [part~="earlier"] { margin-inline-start: 0; }
}
@media print {
  [part~="toolbar"], [part~="earlier"], [part~="later"], [part~="status"] { display: none; }
  [part~="list"] > [part~="day"] { content-visibility: visible; }
  /* A grid that is longer than a page would begin on a new one. */
  [part~="day"], [part~="rows"] { display: block; }
  /* With padding below its rows, Chromium leaves the heading of a day alone at the end of a page. */
  [part~="day"] { padding-block-end: 0; margin-block-end: 0.875em; }
  [part~="row"] { break-inside: avoid; margin-block-end: 0.25em; }
  [part~="day-heading"] { break-inside: avoid; break-after: avoid; position: static !important; }
  /* Paper has no backgrounds: signs are printed as text. */
  [part~="mark"]::before, [part~="chip-starred"]::before { background: none; clip-path: none; inline-size: auto; block-size: auto; }
  [part~="mark-open"]::before { inline-size: 0.75em; block-size: 0.75em; }
  [part~="mark-cancelled"]::before { content: "✕" / ""; }
  [part~="mark-starred"]::before, [part~="chip-starred"]::before { content: "★" / ""; }
  [part~="mark-noshow"]::before { content: "▲" / ""; }
}
`;

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
