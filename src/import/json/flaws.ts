/**
 * Finds the flaws in the text of one JSON value. JSON.parse is much faster, but it tells neither where a text stops
 * being JSON nor that a key is repeated. So this is used only for texts that are known to be flawed.
 */

export type JsonFlaw =
  /** The text stops being JSON at this character. */
  | { readonly kind: 'syntax'; readonly offset: number }
  /** An object repeats this key. */
  | { readonly kind: 'key-twice'; readonly offset: number; readonly path: readonly (string | number)[] };

/** The text must not be nested deeply. */
export function findFlaws(text: string): readonly JsonFlaw[] {
  const reader = new FlawReader(text);
  try {
    reader.readDocument();
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return [...reader.flaws, { kind: 'syntax', offset: reader.offset }];
  }
  return reader.flaws;
}

class FlawReader {
  readonly flaws: JsonFlaw[] = [];
  readonly #text: string;
  readonly #path: (string | number)[] = [];
  offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readDocument(): void {
    this.#skipSpace();
    this.#readValue();
    this.#skipSpace();
    if (this.offset < this.#text.length) throw new NotJson();
  }

  #readValue(): void {
    const start = this.#text[this.offset];
    if (start === '{') this.#readObject();
    else if (start === '[') this.#readArray();
    else if (start === '"') this.#readString();
    else this.#readMatch(SCALAR);
  }

  #readObject(): void {
    const keys = new Set<string>();
    this.#readItems('}', () => {
      const start = this.offset;
      const key = this.#readString();
      this.#path.push(key);
      if (keys.has(key)) this.flaws.push({ kind: 'key-twice', offset: start, path: [...this.#path] });
      keys.add(key);
      this.#skipSpace();
      this.#expect(':');
      this.#skipSpace();
      this.#readValue();
      this.#path.pop();
    });
  }

  #readArray(): void {
    let index = 0;
    this.#readItems(']', () => {
      this.#path.push(index++);
      this.#readValue();
      this.#path.pop();
    });
  }

  #readItems(end: string, readItem: () => void): void {
    this.offset++;
    this.#skipSpace();
    if (this.#text[this.offset] === end) {
      this.offset++;
      return;
    }
    for (;;) {
      readItem();
      this.#skipSpace();
      if (this.#text[this.offset] === end) break;
      this.#expect(',');
      this.#skipSpace();
    }
    this.offset++;
  }

  #readString(): string {
    const start = this.offset;
    this.#expect('"');
    this.#readMatch(CHARACTERS);
    this.#expect('"');
    return JSON.parse(this.#text.slice(start, this.offset));
  }

  #readMatch(pattern: RegExp): void {
    pattern.lastIndex = this.offset;
    const match = pattern.exec(this.#text);
    if (match === null) throw new NotJson();
    this.offset = pattern.lastIndex;
  }

  #expect(character: string): void {
    if (this.#text[this.offset] !== character) throw new NotJson();
    this.offset++;
  }

  #skipSpace(): void {
    this.#readMatch(SPACE);
  }
}

class NotJson extends Error {}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
// Control characters must be escaped.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CHARACTERS = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;

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
