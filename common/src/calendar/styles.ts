import { COLOUR_STYLES } from './shift.ts';

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
${COLOUR_STYLES}
[part~="header"] {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between;
  gap: 0.5em 1.5em; margin-block-end: 1em;
}
[data-view="now"] > :is([part~="header"], [part~="zone"], [part~="earlier"], [part~="later"]) { display: none; }
[part~="subscribe"][open] { flex-basis: 100%; }
[part~="subscribe"] > summary { display: inline-flex; align-items: center; list-style: none; }
[part~="subscribe"] > summary::-webkit-details-marker, [part~="row"] summary::-webkit-details-marker { display: none; }
[part~="subscribe-button"]::after {
  content: ""; inline-size: 0.5em; block-size: 0.5em; margin-inline-start: 0.625em; margin-block-start: -0.25em;
  border: solid currentcolor; border-width: 0 1.5px 1.5px 0; rotate: 45deg;
}
[part~="subscribe"][open] > [part~="subscribe-button"]::after { rotate: 225deg; margin-block-start: 0.25em; }
[part~="subscribe-ways"], [part~="subscribe-ways"] > ul, [part~="tools"], [part~="legend"] { display: flex; flex-wrap: wrap; gap: 0.5em; align-items: center; }
[part~="subscribe-ways"] { margin-block-start: 0.75em; }
[part~="subscribe-address"] { font-size: 0.875em; overflow-wrap: anywhere; user-select: all; -webkit-user-select: all; }
[part~="tools"] { margin-block-end: 1em; }
[part~="search"] {
  appearance: none; margin: 0; padding: 0.375em 0.75em; min-block-size: 2.25em; inline-size: 12em; min-inline-size: 0;
  font: inherit; font-size: 0.9375em; color: inherit; background: transparent;
  border: 1px solid var(--_line); border-radius: var(--_radius);
}
[part~="search"]::placeholder { color: inherit; opacity: 1; }
[part~="legend-group"] { border-radius: 2em; }
[part~="legend-group"]::before {
  content: ""; display: inline-block; inline-size: 0.75em; block-size: 0.75em; margin-inline-end: 0.5em;
  background: var(--_mark); border-radius: 50%;
}
[part~="legend-group"]:is([aria-pressed="true"], [aria-current="true"])::before { border-radius: 0; }
[part~="heading"] { min-inline-size: 0; }
[part~="title"] { font-size: 1.25em; font-weight: 600; text-wrap: balance; }
[part~="period"] { color: var(--_muted); }
[part~="toolbar"] { display: flex; flex-wrap: wrap; gap: 0.5em 0.75em; }
[part~="navigation"], [part~="views"] { display: flex; }
[part~="zone"] { color: var(--_muted); font-size: 0.875em; margin-block-end: 1em; }

[part~="button"] {
  appearance: none; display: inline-block; margin: 0; text-decoration: none; padding: 0.375em 0.75em; min-block-size: 2.25em;
  font: inherit; font-size: 0.9375em; color: inherit; background: transparent; cursor: pointer;
  border: 1px solid var(--_line); border-radius: var(--_radius);
}
[part~="button"]:hover { background: var(--_tint); border-color: currentcolor; }
[part~="button"][aria-disabled="true"] { cursor: default; color: var(--_muted); opacity: 0.5; }
[part~="button"]:is([aria-pressed="true"], [aria-current="true"]) {
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
[data-long] > [part~="day"] {
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
  padding: 0.375em 0.75em; border: 1px solid transparent; border-inline-start: 0; border-radius: 0 var(--_radius) var(--_radius) 0;
  position: relative; list-style: none;
}
/* The bar is a box of its own: a border that meets others has slanted ends. */
[part~="shift"]::after, [part~="chip"]::after {
  content: ""; position: absolute; inset-block: -1px; inset-inline-start: 0; border-inline-start: 3px solid var(--_mark);
}
:dir(rtl)[part~="shift"] { border-radius: var(--_radius) 0 0 var(--_radius); }
[part~="shift"]:hover { background: var(--_tint); border-color: var(--_line); }
:is([part~="shift"], [part~="chip"], [part~="legend-group"], [part~="board-line"]) { --_mark: var(--shift-calendar-group, var(--_group, var(--_accent))); }
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
[part~="shift-open"]::after { border-inline-start-style: dashed; }
[part~="shift-cancelled"] { --_mark: var(--_line); }
[part~="shift-cancelled"] > :is([part~="time"], [part~="text"]) { text-decoration: line-through; color: var(--_muted); }
[part~="shift-cancelled"] [part~="detail"] { color: inherit; }
[part~="map"] { color: inherit; }
[part~="details"] {
  display: grid; gap: 0.25em; padding: 0.25em 0.75em 0.75em; margin-inline-start: 3px;
  color: var(--_muted); font-size: 0.9375em; overflow-wrap: anywhere; white-space: pre-line;
}

@container (inline-size < 30rem) {
  [part~="search"] { flex: 1 1 9em; }
  [part~="shift"] { display: grid; grid-template-columns: var(--shift-calendar-time-width, var(--_time-width)) minmax(0, 1fr); }
  [part~="marks"] { grid-column: 2; }
  /* Two times with their AM and PM would take half of a phone. */
  [data-clock="12"] [part~="shift"] { grid-template-columns: minmax(0, 1fr); }
  [data-clock="12"] [part~="marks"] { grid-column: 1; }
}
@container (inline-size >= 40rem) {
  [part~="list"] > [part~="day"], [part~="chosen-day"] > [part~="day"] { grid-template-columns: 10em minmax(0, 1fr); gap: 1.5em; }
  [data-long] > [part~="day"] { contain-intrinsic-block-size: auto calc(var(--_rows) * 2.5em + 2em); }
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
  [part~="button"]:is([aria-pressed="true"], [aria-current="true"]) { border-block-end-width: 4px; }
  [part~="legend-group"]::before { forced-color-adjust: none; }
  [part~="button"][aria-disabled="true"] { color: GrayText; border-color: GrayText; opacity: 1; }
  [part~="shift"]:hover, [part~="button"]:hover { border-color: Highlight; }
  [part~="earlier"] { margin-inline-start: 0; }
}
/* What only scripts can do. */
@media (scripting: none) {
  [part~="toolbar"], [part~="search"], [part~="copy"], [part~="fallback"] { display: none; }
}
@media screen {
  [part~="paper-end"] { display: none; }
}
@media print {
  [part~="toolbar"], [part~="subscribe"], [part~="earlier"], [part~="later"], [part~="retry"] { display: none; }
  /* Paper tells what was looked for, because other shifts are missing on it. */
  [part~="search"]:placeholder-shown, [part~="legend-group"]:not([aria-pressed="true"]) { display: none; }
  [part~="paper-end"] { margin-block-start: 1em; }
  [data-long] > [part~="day"] { content-visibility: visible; }
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

/** As a security policy names them. When they change, a test fails and tells the new one. */
export const STYLES_HASH = 'sha256-6jnE9W9ghSKASEDyC24BJOdBDascDDo9DW8NYeqNa+U=';
