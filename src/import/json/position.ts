/** Where something is in a file. */

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The position of a character of a text, given the position at which the text begins. */
export function positionIn(text: string, offset: number, { line, column }: Position): Position {
  let lines = 0;
  let lineStart = -1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    lines++;
    lineStart = at + 1;
  }
  return lines === 0
    ? { line, column: column + offset }
    : { line: line + lines, column: offset - lineStart + 1 };
}

export function describePosition({ line, column }: Position): string {
  return `line ${line}, column ${column}`;
}

/** The message for a key that an object has twice. */
export function keyTwice(position: Position): string {
  return `the key is there for a second time (${describePosition(position)})`;
}
