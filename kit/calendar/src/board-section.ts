/** A section of a board: a heading and its lines, none of which can be pressed. */

import type { BoardLine, BoardSection } from '@shiftfeed/common/board';
import { element } from './dom.ts';
import type { Language } from './language.ts';

/** More than fit on any wall. The rest is counted. */
export const MAX_LINES = 60;

export interface ShownSection {
  readonly element: HTMLElement;
  /** How many lines are seen. */
  count(): number;
  /** Shows so many lines, and counts the others. */
  show(count: number): void;
}

export function makeBoardSection(section: BoardSection, language: Language): ShownSection {
  const { kind, heading, none } = section;
  const id = `board-${kind}`;
  const lines = section.lines.slice(0, MAX_LINES).map((line) => lineElement(line, language));
  const more = element('p', { part: 'board-more' });
  let shown = 0;
  const made: ShownSection = {
    element: element(
      'div',
      { part: `board-section board-${kind}`, role: 'group', 'aria-labelledby': id },
      element('h3', { part: 'board-heading', id }, heading),
      lines.length > 0
        ? element('ul', { part: 'board-lines' }, ...lines)
        : element('p', { part: 'board-none' }, none),
      more,
    ),
    count: () => shown,
    show(count) {
      shown = Math.min(count, lines.length);
      for (const [i, line] of lines.entries()) line.hidden = i >= shown;
      const rest = section.lines.length - shown;
      more.hidden = rest === 0;
      more.textContent = rest === 0 ? '' : language.say('more', { count: rest });
    },
  };
  made.show(MAX_LINES);
  return made;
}

function lineElement({ name, details, when, isNoshow, groupId }: BoardLine, language: Language): HTMLElement {
  return element(
    'li',
    { part: groupId === undefined ? 'board-line' : `board-line group-${groupId}` },
    element('bdi', { part: 'board-name' }, name),
    ' ',
    element('span', { part: 'board-when' }, when),
    ' ',
    (details.length > 0 || isNoshow) &&
      element(
        'span',
        { part: 'board-details' },
        ...details.flatMap((detail) => [element('bdi', { part: 'board-detail' }, detail), ' ']),
        isNoshow && element('span', { part: 'mark mark-noshow' }, language.say('noshow')),
      ),
  );
}
