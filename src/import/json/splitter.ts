/**
 * Splits a JSON object while its text arrives, in pieces of any size. Each member is passed on as soon as it is
 * complete, and the elements of long lists one by one, so a file of any size needs little memory.
 *
 * The splitter only finds where values begin and end, and leaves the rest to JSON.parse, which is strict and fast. It
 * counts the colons in a value to notice repeated keys, which JSON.parse drops.
 */

import type { Flaw } from '../../store/records.ts';

export interface JsonReceiver {
  /** Says how the value of a member is passed on. */
  member(key: string, position: Position): 'whole' | 'by-element' | 'not-at-all';
  /**
   * A whole member. A document that is not an object is a member without a key. A flawed value is undefined, or has the
   * last of its repeated keys.
   */
  value(key: string | undefined, value: unknown, flaws: readonly Flaw[]): void;
  element(key: string, value: unknown, flaws: readonly Flaw[]): void;
  /** A problem that is not a value. */
  problem(message: string): void;
}

/** The text stops being valid JSON or UTF-8. The message says where. */
export class BrokenText extends Error {}

/** Far longer than any valid record. */
const MAX_VALUE_CHARACTERS = 1_000_000;
const MAX_DEPTH = 20;

/** What may come next outside of a value: a character that leads to another state, or the beginning of a value. */
interface Expected {
  readonly after?: Readonly<Record<string, string>>;
  readonly value?: OpenValue['of'];
}

const EXPECTED = {
  document: { after: { '{': 'first-key' }, value: 'document' },
  'first-key': { after: { '}': 'end' }, value: 'key' },
  key: { value: 'key' },
  colon: { after: { ':': 'value' } },
  value: { value: 'member' },
  // A member whose elements are passed on one by one.
  list: { after: { '[': 'first-element' }, value: 'member' },
  'after-value': { after: { ',': 'key', '}': 'end' } },
  'first-element': { after: { ']': 'after-value' }, value: 'element' },
  element: { value: 'element' },
  'after-element': { after: { ',': 'element', ']': 'after-value' } },
  end: {},
} as const satisfies Readonly<Record<string, Expected>>;

type State = keyof typeof EXPECTED;

export class JsonSplitter {
  readonly #receiver: JsonReceiver;
  #state: State = 'document';
  #piece = '';
  /** The position of the first character of the piece. */
  #pieceStart: Position = { line: 1, column: 1 };
  #positions = new Positions('', this.#pieceStart);
  #open: OpenValue | undefined;
  #key: string | undefined;
  #handing: ReturnType<JsonReceiver['member']> = 'whole';

  constructor(receiver: JsonReceiver) {
    this.#receiver = receiver;
  }

  /** Throws BrokenText where the text stops being JSON. */
  write(piece: string): void {
    this.#piece = piece;
    this.#positions = new Positions(piece, this.#pieceStart);
    let at = 0;
    while (at < piece.length) {
      if (this.#open !== undefined) at = this.#readOn(this.#open, at);
      else if (isSpace(piece.charCodeAt(at))) at++;
      else at = this.#step(at);
    }
    this.#leavePiece();
  }

  /** Throws BrokenText when the document is not complete. */
  end(): void {
    this.#piece = '';
    this.#positions = new Positions('', this.#pieceStart);
    // A number has no end of its own.
    if (this.#open?.of === 'document' && this.#open.isScalar) this.#close(this.#open, 0);
    if (this.#state === 'end') return;
    if (this.#open === undefined) {
      this.#failJson(this.#pieceStart, this.#state === 'document' ? ': it is empty' : ENDS_TOO_EARLY);
    }
    this.#checkSyntax(this.#open, this.#open.head);
    const begin = describePosition(this.#startOf(this.#open));
    this.#failJson(this.#pieceStart, `${ENDS_TOO_EARLY}, within what begins at ${begin}`);
  }

  /** Throws BrokenText about the current piece. */
  fail(what: string, position = this.#pieceStart, why = ''): never {
    throw new BrokenText(`the file ${what} at ${describePosition(position)}${why}`);
  }

  /** Handles one character outside of a value, and returns where to continue. */
  #step(at: number): number {
    const isList = this.#state === 'value' && this.#handing === 'by-element';
    const { after = {}, value }: Expected = EXPECTED[isList ? 'list' : this.#state];
    const character = this.#piece[at] as string;
    const next = after[character] as State | undefined;
    if (next !== undefined) {
      this.#state = next;
      return at + 1;
    }
    if (value === undefined || (value === 'key' && character !== '"')) this.#failJson(this.#positions.at(at));
    return this.#begin(value, at);
  }

  #begin(of: OpenValue['of'], at: number): number {
    const character = this.#piece[at] as string;
    if (!VALUE_START.test(character)) this.#failJson(this.#positions.at(at));
    const isContainer = character === '{' || character === '[';
    this.#open = {
      of,
      isScalar: !isContainer && character !== '"',
      position: undefined,
      start: at,
      head: '',
      depth: isContainer ? 1 : 0,
      colons: 0,
      inString: character === '"',
      isEscaped: false,
      dropped: of === 'member' && this.#handing === 'not-at-all' ? 'unwanted' : undefined,
    };
    return at + 1;
  }

  /** Looks for the end of a value, and returns where to continue. */
  #readOn(value: OpenValue, from: number): number {
    const end = endOf(value, this.#piece, from);
    if (end !== undefined) this.#close(value, end);
    return end ?? this.#piece.length;
  }

  #close(value: OpenValue, end: number): void {
    this.#open = undefined;
    const text = value.dropped === undefined ? value.head + this.#piece.slice(value.start, end) : '';
    if (text.length > MAX_VALUE_CHARACTERS) value.dropped = 'too-long';
    if (value.dropped === undefined) this.#handOver(value, text);
    else this.#giveDropped(value, value.dropped);
    this.#state = NEXT_STATE[value.of];
  }

  #handOver(value: OpenValue, text: string): void {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      this.#failJson(syntaxFlaw(text, this.#startOf(value))?.position);
    }
    const hasAllKeys = value.colons === 0 || value.colons === countKeys(parsed);
    this.#give(value, parsed, hasAllKeys ? [] : keysTwice(text, this.#startOf(value)));
  }

  #give(value: OpenValue, parsed: unknown, flaws: readonly Flaw[]): void {
    if (value.of === 'key') {
      this.#key = parsed as string;
      this.#handing = this.#receiver.member(this.#key, this.#startOf(value));
    } else if (value.of === 'element') {
      this.#receiver.element(this.#key as string, parsed, flaws);
    } else {
      this.#receiver.value(this.#key, parsed, flaws);
    }
  }

  #giveDropped(value: OpenValue, why: 'unwanted' | 'too-long' | 'too-deep'): void {
    if (why === 'unwanted') return;
    const subject = { document: 'the document ', key: 'a key ', member: '', element: '' }[value.of];
    const position = describePosition(this.#startOf(value));
    const message = `${subject}${why === 'too-long' ? TOO_LONG : TOO_DEEP} (${position})`;
    if (value.of === 'key') {
      // A member without a name is never used.
      this.#handing = 'not-at-all';
      this.#receiver.problem(message);
    } else {
      this.#give(value, undefined, [{ path: [], message }]);
    }
  }

  /** Keeps what the next pieces need of this one. */
  #leavePiece(): void {
    const value = this.#open;
    if (value !== undefined) {
      value.position ??= this.#positions.at(value.start);
      const text = value.dropped === undefined ? value.head + this.#piece.slice(value.start) : '';
      if (text.length > MAX_VALUE_CHARACTERS) {
        // After a missing quote or bracket, all the rest looks like one value.
        this.#checkSyntax(value, text);
        value.dropped = 'too-long';
      }
      value.head = value.dropped === undefined ? text : '';
      value.start = 0;
    }
    this.#pieceStart = this.#positions.at(this.#piece.length);
    this.#piece = '';
  }

  #startOf(value: OpenValue): Position {
    return value.position ?? this.#positions.at(value.start);
  }

  /** Throws BrokenText if the beginning of a value is not JSON. */
  #checkSyntax(value: OpenValue, text: string): void {
    const flaw = syntaxFlaw(text, this.#startOf(value));
    if (flaw !== undefined && !UNFINISHED.test(text.slice(flaw.offset))) this.#failJson(flaw.position);
  }

  #failJson(position?: Position, why?: string): never {
    this.fail('is not valid JSON', position, why);
  }
}

function keysTwice(text: string, start: Position): Flaw[] {
  return findFlaws(text, start).map(({ path, position }) => ({ path, message: keyTwice(position) }));
}

function syntaxFlaw(text: string, start: Position) {
  return findFlaws(text, start).find(({ kind }) => kind === 'syntax');
}

/** The rest of a text that ends within a word, a number or an escape. */
const UNFINISHED = /^(?:[\w.+-]*|\\\w*)$/;

const ENDS_TOO_EARLY = ': it ends too early';
const TOO_LONG = `is longer than ${MAX_VALUE_CHARACTERS} characters`;
const TOO_DEEP = `is nested more than ${MAX_DEPTH} levels deep`;

const NEXT_STATE: Readonly<Record<OpenValue['of'], State>> = {
  document: 'end',
  key: 'colon',
  member: 'after-value',
  element: 'after-element',
};

const VALUE_START = /[{["\-0-9tfn]/;

/** How many keys all objects in a value have together. The value must not be nested deeply. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isArray = Array.isArray(value);
  let count = 0;
  for (const key in value) {
    if (!isArray) count++;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'object') count += countKeys(item);
  }
  return count;
}

/** A value whose end has not been seen yet. */
interface OpenValue {
  readonly of: 'document' | 'key' | 'member' | 'element';
  readonly isScalar: boolean;
  /** Set when the piece with its beginning is dropped. */
  position: Position | undefined;
  /** Where it begins in the current piece. */
  start: number;
  /** Its text in earlier pieces. */
  head: string;
  depth: number;
  colons: number;
  inString: boolean;
  isEscaped: boolean;
  /** Why its text is not kept. */
  dropped: 'unwanted' | 'too-long' | 'too-deep' | undefined;
}

/** Where a value ends in the piece, if it does. Looks from `from` on. */
function endOf(value: OpenValue, piece: string, from: number): number | undefined {
  let { depth, colons, inString, isEscaped } = value;
  let at = from;
  let isDone = false;
  while (at < piece.length && !isDone) {
    if (inString) {
      const start = isEscaped ? at + 1 : at;
      const quote = piece.indexOf('"', start);
      at = quote === -1 ? piece.length : quote + 1;
      isEscaped = endsInBackslash(piece, start, quote === -1 ? at : quote);
      if (quote === -1) break;
      inString = isEscaped;
      isEscaped = false;
      isDone = !inString && depth === 0;
      continue;
    }
    const code = piece.charCodeAt(at++);
    if (code === QUOTE) inString = true;
    else if (code === COLON) colons++;
    else if (code === BRACE || code === BRACKET) {
      depth++;
      if (depth > MAX_DEPTH) value.dropped ??= 'too-deep';
    } else if (code === END_BRACE || code === END_BRACKET) {
      depth--;
      isDone = depth <= 0;
    } else if (depth === 0 && (code === COMMA || isSpace(code))) isDone = true;
  }
  value.depth = depth;
  value.colons = colons;
  value.inString = inString;
  value.isEscaped = isEscaped;
  if (!isDone) return undefined;
  // The character after a number or a word does not belong to it.
  return value.isScalar ? at - 1 : at;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const END_BRACKET = 0x5d;
const BRACE = 0x7b;
const END_BRACE = 0x7d;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Whether the last character from `start` to `end` is a backslash that escapes what follows. */
function endsInBackslash(text: string, start: number, end: number): boolean {
  let at = end;
  while (at > start && text.charCodeAt(at - 1) === BACKSLASH) at--;
  return (end - at) % 2 === 1;
}

interface JsonFlaw {
  /** The text stops being JSON here, or an object repeats a key. */
  readonly kind: 'syntax' | 'key-twice';
  readonly offset: number;
  readonly position: Position;
  /** The keys and indexes that lead there. */
  readonly path: readonly (string | number)[];
}

/**
 * Finds the flaws in the text of one JSON value, which must not be nested deeply. JSON.parse is much faster, but it tells
 * neither where a text stops being JSON nor that a key is repeated, so this is for texts that are known to be flawed.
 * `start` is the position of the first character.
 */
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
