/**
 * Makes a board fit where it hangs: its type shrinks as far as it can still be read across a room, and then lines are
 * counted instead of shown. Where the page scrolls, as on a phone, nothing has to fit.
 */

import type { ShownSection } from './board-section.ts';

const SCALES = [1.4, 1.2, 1, 0.9, 0.8, 0.7, 0.6, 0.5];
/** Sections of those who come next, and of open shifts, lose lines beyond this number before the type shrinks. */
const LEAST_LINES = 4;

/** The first section has those who are on. */
export function fitBoard(board: HTMLElement, sections: readonly ShownSection[]): void {
  const [, ...others] = sections;
  for (const scale of SCALES) {
    board.style.setProperty('--_scale', String(scale));
    for (const section of sections) section.show(Number.POSITIVE_INFINITY);
    if (shorten(board, others, LEAST_LINES)) return;
  }
  shorten(board, sections, 1);
}

/** Takes lines away until the board fits. False if that takes more than may be taken. */
function shorten(board: HTMLElement, sections: readonly ShownSection[], leastLines: number): boolean {
  for (let missing = missingPx(board); missing > 0; missing = missingPx(board)) {
    const longest = longestTooLong(board, sections, leastLines);
    if (longest === undefined) return false;
    // Not all at once, because lines may stand beside each other, and are not all of one height.
    const lineHeight = longest.element.offsetHeight / longest.count();
    const tooMany = Math.max(1, Math.floor(missing / lineHeight / 2));
    longest.show(Math.max(leastLines, longest.count() - tooMany));
  }
  return true;
}

/** By how much the board is higher than its place. Both are rounded, and so a pixel says nothing. */
function missingPx(board: HTMLElement): number {
  return board.scrollHeight - board.clientHeight - 1;
}

/** The one with the most lines among those that end too low, and those above them. */
function longestTooLong(
  board: HTMLElement,
  sections: readonly ShownSection[],
  leastLines: number,
): ShownSection | undefined {
  const { bottom } = board.getBoundingClientRect();
  const boxes = new Map(sections.map((section) => [section, section.element.getBoundingClientRect()]));
  const columns = new Set([...boxes.values()].filter((box) => box.bottom > bottom).map(({ left }) => left));
  return sections
    .filter((section) => section.count() > leastLines && columns.has(boxes.get(section)?.left ?? 0))
    .sort((a, b) => b.count() - a.count())[0];
}
