/** Where something is in a file. */

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The position of a character of a text, given the position at which the text begins. */
export function positionIn(text: string, offset: number, { line, column }: Position): Position {
  let lines = 0;
  let lineStart = -1;
  const before = text.slice(0, offset);
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) {
    lines++;
    lineStart = at + 1;
  }
  return lines === 0
    ? { line, column: column + offset }
    : { line: line + lines, column: offset - lineStart + 1 };
}

/** Positions in a text, mostly asked for in order: lines are counted from the last one on, and not anew for each. */
export class Positions {
  readonly #text: string;
  readonly #start: Position;
  #last: { readonly offset: number; readonly position: Position };

  constructor(text: string, start: Position) {
    this.#text = text;
    this.#start = start;
    this.#last = { offset: 0, position: start };
  }

  at(offset: number): Position {
    const from = offset < this.#last.offset ? { offset: 0, position: this.#start } : this.#last;
    const position = positionIn(this.#text.slice(from.offset), offset - from.offset, from.position);
    this.#last = { offset, position };
    return position;
  }
}

export function describePosition({ line, column }: Position): string {
  return `line ${line}, column ${column}`;
}

/** The message for a key that an object has twice. */
export function keyTwice(position: Position): string {
  return `the key is there for a second time (${describePosition(position)})`;
}
