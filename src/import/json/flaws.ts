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
