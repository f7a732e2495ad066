/** The look of the page. It has an address of its own, so that the page needs no inline style. */

export const STYLESHEET = `:root {
  color-scheme: light dark;
  --text: #1c2024;
  --quiet: #5a6168;
  --paper: #fff;
  --line: #dfe3e6;
  --accent: #0b5cad;
  --accent-text: #fff;
  --mark: #fff3c4;
  --mark-text: #5c4500;
  --off: #fde4e1;
  --off-text: #8a1c10;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e8eaed;
    --quiet: #a0a8b0;
    --paper: #16191c;
    --line: #33393f;
    --accent: #7cb8ff;
    --accent-text: #0d1b2a;
    --mark: #4a3b06;
    --mark-text: #ffe9a3;
    --off: #4b1a15;
    --off-text: #ffb9b0;
  }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1.25rem 2rem; overflow-wrap: break-word; }
h1, h2, p, ul { margin: 0; padding: 0; }
h1 { font-size: 1.75rem; line-height: 1.2; text-wrap: balance; }
header p { color: var(--quiet); margin-top: .25rem; }
header strong { color: var(--text); }
header .subscribe { margin-top: .75rem; }
section { margin-top: 1.75rem; }
h2 { border-bottom: 1px solid var(--line); font-size: 1.0625rem; padding-bottom: .375rem; break-after: avoid; }
ul { list-style: none; }
li {
  border-bottom: 1px solid var(--line);
  display: grid;
  gap: 0 1rem;
  grid-template-columns: 9.5rem minmax(0, 1fr);
  padding: .625rem 0;
  break-inside: avoid;
}
li:last-child { border-bottom: 0; }
.time { font-variant-numeric: tabular-nums; font-weight: 600; }
.time time { white-space: nowrap; }
.next { color: var(--quiet); display: block; font-size: .875rem; font-weight: 400; }
.what { font-weight: 600; }
.who { font-weight: 400; }
.group + .who::before { content: "· "; content: "· " / ""; }
.where, .remarks, .published { color: var(--quiet); font-size: .9375rem; }
.remarks { white-space: pre-line; }
.cancelled .what, .cancelled .time { color: var(--quiet); }
.badge, .today {
  border-radius: .25rem;
  display: inline-block;
  font-size: .8125rem;
  font-weight: 600;
  line-height: 1.5;
  padding: 0 .4375rem;
}
.open { background: var(--mark); color: var(--mark-text); }
.off { background: var(--off); color: var(--off-text); }
.today { background: var(--accent); color: var(--accent-text); }
shift-calendar { --shift-calendar-accent: var(--accent); --shift-calendar-line: var(--line); --shift-calendar-muted: var(--quiet); display: block; }
shift-calendar:defined { margin-top: 1.5rem; }
/* The page has that title already; for screen readers, it is the heading above the days. */
shift-calendar::part(title) { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; white-space: nowrap; width: 1px; }
/* Buttons stay in their place when the view changes: what it shows is said behind them. */
shift-calendar::part(header) { flex-direction: row-reverse; justify-content: flex-end; }
.none { color: var(--quiet); margin-top: 2rem; }
footer { border-top: 1px solid var(--line); color: var(--quiet); font-size: .9375rem; margin-top: 2.5rem; padding-top: 1.25rem; }
footer p + p { margin-top: .75rem; }
.subscribe {
  background: var(--accent);
  border-radius: .375rem;
  color: var(--accent-text);
  display: inline-block;
  font-weight: 600;
  padding: .5rem 1rem;
  text-decoration: none;
}
.subscribe:hover { text-decoration: underline; }
.subscribe:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code { color: var(--text); direction: ltr; unicode-bidi: isolate; font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; user-select: all; -webkit-user-select: all; }
/* The days of a week beside each other need more room than lines of text. */
body:has(shift-calendar:defined) { max-width: 72rem; }
@media (max-width: 30rem) {
  li { grid-template-columns: minmax(0, 1fr); }
  .next { display: inline; }
}
@media print {
  :root { --text: #000; --quiet: #333; --paper: #fff; --line: #999; --mark: #fff; --off: #fff; --mark-text: #000; --off-text: #000; }
  html { font-size: 10pt; }
  body, body:has(shift-calendar:defined) { max-width: none; padding: 0; }
  .badge, .today { border: 1px solid #333; }
  .today, .subscribe, footer p:not(:last-child) { display: none; }
  footer { border: 0; margin-top: 1rem; padding: 0; }
  section { margin-top: 1rem; }
}

/* A board: its type follows the size of the screen, which it fills. */
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
