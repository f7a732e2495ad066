/**
 * Finds the flaws in the text of one JSON value. JSON.parse is much faster, but it tells neither where a text stops
 * being JSON nor that a key is repeated. So this is used only for texts that are known to be flawed.
 */

export interface JsonFlaw {
  /** The text stops being JSON here, or an object repeats a key. */
  readonly kind: 'syntax' | 'key-twice';
  readonly offset: number;
  readonly position: Position;
  /** The keys and indexes that lead there. */
  readonly path: readonly (string | number)[];
}

/** The text must not be nested deeply. `start` is the position of its first character. */
export function findFlaws(text: string, start?: Position): readonly JsonFlaw[] {
  const reader = new FlawReader(text, start);
  try {
    reader.readDocument();
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    reader.note('syntax');
  }
  return reader.flaws;
}

class FlawReader {
  readonly flaws: JsonFlaw[] = [];
  readonly #text: string;
  readonly #positions: Positions;
  readonly #path: (string | number)[] = [];
  #offset = 0;

  constructor(text: string, start: Position | undefined) {
    this.#text = text;
    this.#positions = new Positions(text, start);
  }

  note(kind: JsonFlaw['kind'], offset = this.#offset): void {
    this.flaws.push({ kind, offset, position: this.#positions.at(offset), path: [...this.#path] });
  }

  readDocument(): void {
    this.#skipSpace();
    this.#readValue();
    this.#skipSpace();
    if (this.#offset < this.#text.length) throw new NotJson();
  }

  #readValue(): void {
    const start = this.#text[this.#offset];
    if (start === '{') this.#readObject();
    else if (start === '[') this.#readArray();
    else if (start === '"') this.#readString();
    else this.#readMatch(SCALAR);
  }

  #readObject(): void {
    const keys = new Set<string>();
    this.#readItems('}', () => {
      const start = this.#offset;
      const key = this.#readString();
      this.#path.push(key);
      if (keys.has(key)) this.note('key-twice', start);
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
    this.#offset++;
    this.#skipSpace();
    for (let isFirst = true; this.#text[this.#offset] !== end; isFirst = false) {
      if (!isFirst) this.#expect(',');
      this.#skipSpace();
      readItem();
      this.#skipSpace();
    }
    this.#offset++;
  }

  #readString(): string {
    const start = this.#offset;
    this.#expect('"');
    this.#readMatch(CHARACTERS);
    this.#expect('"');
    return JSON.parse(this.#text.slice(start, this.#offset));
  }

  #readMatch(pattern: RegExp): void {
    pattern.lastIndex = this.#offset;
    if (!pattern.test(this.#text)) throw new NotJson();
    this.#offset = pattern.lastIndex;
  }

  #expect(character: string): void {
    if (this.#text[this.#offset] !== character) throw new NotJson();
    this.#offset++;
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

/** The positions of characters, which are asked for in the order of the text, so that its lines are counted once. */
export class Positions {
  readonly #text: string;
  #line: number;
  /** Offsets in the text. The first line may have begun before it. */
  #lineStart: number;
  #lineEnd: number;

  constructor(text: string, { line, column }: Position = { line: 1, column: 1 }) {
    this.#text = text;
    this.#line = line;
    this.#lineStart = 1 - column;
    this.#lineEnd = text.indexOf('\n');
  }

  at(offset: number): Position {
    while (this.#lineEnd !== -1 && this.#lineEnd < offset) {
      this.#line++;
      this.#lineStart = this.#lineEnd + 1;
      this.#lineEnd = this.#text.indexOf('\n', this.#lineStart);
    }
    return { line: this.#line, column: offset - this.#lineStart + 1 };
  }
}

export function describePosition({ line, column }: Position): string {
  return `line ${line}, column ${column}`;
}

/** The message for a key that an object has twice. */
export function keyTwice(position: Position): string {
  return `the key is there for a second time (${describePosition(position)})`;
}
