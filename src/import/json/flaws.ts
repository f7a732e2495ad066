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
  const flaws: JsonFlaw[] = [];
  const path: (string | number)[] = [];
  let offset = 0;

  function readValue(): void {
    const start = text[offset];
    if (start === '{') readObject();
    else if (start === '[') readArray();
    else if (start === '"') readString();
    else readMatch(SCALAR);
  }

  function readObject(): void {
    const keys = new Set<string>();
    readItems('}', () => {
      const start = offset;
      const key = readString();
      path.push(key);
      if (keys.has(key)) flaws.push({ kind: 'key-twice', offset: start, path: [...path] });
      keys.add(key);
      skipSpace();
      expect(':');
      skipSpace();
      readValue();
      path.pop();
    });
  }

  function readArray(): void {
    let index = 0;
    readItems(']', () => {
      path.push(index++);
      readValue();
      path.pop();
    });
  }

  function readItems(end: string, readItem: () => void): void {
    offset++;
    skipSpace();
    if (text[offset] === end) {
      offset++;
      return;
    }
    for (;;) {
      readItem();
      skipSpace();
      if (text[offset] === end) break;
      expect(',');
      skipSpace();
    }
    offset++;
  }

  function readString(): string {
    const start = offset;
    expect('"');
    readMatch(CHARACTERS);
    expect('"');
    return JSON.parse(text.slice(start, offset));
  }

  function readMatch(pattern: RegExp): void {
    pattern.lastIndex = offset;
    const match = pattern.exec(text);
    if (match === null) throw new NotJson();
    offset = pattern.lastIndex;
  }

  function expect(character: string): void {
    if (text[offset] !== character) throw new NotJson();
    offset++;
  }

  function skipSpace(): void {
    readMatch(SPACE);
  }

  try {
    skipSpace();
    readValue();
    skipSpace();
    if (offset < text.length) throw new NotJson();
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    flaws.push({ kind: 'syntax', offset });
  }
  return flaws;
}

class NotJson extends Error {}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
// Control characters must be escaped.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CHARACTERS = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
