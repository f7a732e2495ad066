/**
 * The look of pages, around the calendar, which brings its own styles, and of a board without scripts. It has an address
 * of its own, so that pages share it.
 */

export const STYLESHEET = `:root {
  color-scheme: light dark;
  --text: #1c2024;
  --quiet: #5a6168;
  --paper: #fff;
  --line: #dfe3e6;
  --tint: #f4f6f8;
  --accent: #0b5cad;
  --off: #fde4e1;
  --off-text: #8a1c10;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e8eaed;
    --quiet: #a0a8b0;
    --paper: #16191c;
    --line: #33393f;
    --tint: #1e2226;
    --accent: #7cb8ff;
    --off: #4b1a15;
    --off-text: #ffb9b0;
  }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1.25rem 2rem; overflow-wrap: break-word; }
h1, h2, p, ul { margin: 0; padding: 0; }
h1 { font-size: 1.75rem; line-height: 1.2; text-wrap: balance; }
header p { font-weight: 600; margin-top: .25rem; }
shift-calendar {
  --shift-calendar-accent: var(--accent);
  --shift-calendar-line: var(--line);
  --shift-calendar-muted: var(--quiet);
  --shift-calendar-tint: var(--tint);
  display: block;
  margin-top: 1.25rem;
}
.none { color: var(--quiet); margin-top: 2rem; }
footer { border-top: 1px solid var(--line); color: var(--quiet); font-size: .9375rem; margin-top: 2.5rem; padding-top: 1.25rem; }
footer p + p { margin-top: .75rem; }
@media print {
  :root { --text: #000; --quiet: #333; --paper: #fff; --line: #999; --off: #fff; --off-text: #000; }
  html { font-size: 10pt; }
  body { max-width: none; padding: 0; }
  footer { display: none; }
}

/* A board: its type follows the size of the screen, which it fills. */
html body:has(.board) { max-width: none; padding: clamp(.75rem, 2.5vmin, 3rem); }
.board { font-size: max(1rem, min(2.5vw, 4.4vh)); line-height: 1.25; }
.board h1 { font-size: 1.25em; }
.board h2 { border-bottom: 1px solid var(--line); font-size: max(.875rem, .75em); padding-bottom: .375rem; break-after: avoid; }
.board .updated, .board .where { color: var(--quiet); font-size: max(.875rem, .75em); }
.board section { margin-top: .75em; }
.board ul { list-style: none; }
.board li {
  border-bottom: 1px solid var(--line);
  display: grid;
  gap: 0 1rem;
  grid-template-columns: minmax(0, 1fr) auto;
  padding: .25em 0;
  break-inside: avoid;
}
.board li:last-child { border-bottom: 0; }
.board .time { font-variant-numeric: tabular-nums; }
.board .time, .board .what { font-weight: 600; }
.board .where { grid-column: 1 / -1; }
.board .on .what { font-size: 1.25em; }
.board .next, .board .open { font-size: max(1rem, .8125em); }
.board .off { background: var(--off); border-radius: .25rem; color: var(--off-text); font-size: .8125rem; padding: 0 .4375rem; }
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
  .board .off { border: 1px solid #333; }
}
`;
