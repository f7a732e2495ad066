/**
 * Takes a JSON object apart as its text arrives, in pieces of any size: each member is handed over as soon as it is
 * complete, and the elements of long lists one by one, so that a file of any size needs little memory.
 *
 * This only looks for where values begin and end. What lies in between is left to JSON.parse, which is strict and fast.
 * The colons in a value tell whether it dropped a key that was there twice.
 */

import { findFlaws, type JsonFlaw } from './json-flaw.ts';
import { placeOf } from './place.ts';
import { ImportProblems } from './problems.ts';

export interface JsonReceiver {
  /** Says how the value of a member is to be handed over. */
  member(key: string, position: Position): 'whole' | 'by-element' | 'not-at-all';
  /** A member as a whole. A document that is no object is a member without a key. */
  value(key: string | undefined, value: unknown): void;
  element(key: string, index: number, value: unknown): void;
  /** A value that cannot be handed over. */
  problem(place: string, message: string): void;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** No record comes near, however it is written. */
const MAX_VALUE_CHARACTERS = 1_000_000;
const MAX_DEPTH = 20;

type State =
  | 'document'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'value'
  | 'after-value'
  | 'first-element'
  | 'element'
  | 'after-element'
  | 'end';

/** A value of which the end has not been seen. */
interface OpenValue {
  readonly of: 'document' | 'key' | 'member' | 'element';
  readonly isScalar: boolean;
  /** Once the piece with its beginning is gone. */
  position: Position | undefined;
  /** Where it begins in the current piece. */
  start: number;
  /** What earlier pieces had of it. */
  head: string;
  depth: number;
  colons: number;
  inString: boolean;
  isEscaped: boolean;
  /** Why its text is not kept. */
  dropped: 'unwanted' | 'too-long' | 'too-deep' | undefined;
}

export class JsonSplitter {
  readonly #receiver: JsonReceiver;
  #state: State = 'document';
  #piece = '';
  /** Of the first character of the piece. */
  #pieceStart: Position = { line: 1, column: 1 };
  #open: OpenValue | undefined;
  #key = '';
  #handing: ReturnType<JsonReceiver['member']> = 'whole';
  #index = 0;

  constructor(receiver: JsonReceiver) {
    this.#receiver = receiver;
  }

  /** Throws ImportProblems where the text stops being JSON. */
  write(piece: string): void {
    this.#piece = piece;
    let at = 0;
    while (at < piece.length) {
      if (this.#open !== undefined) at = this.#readOn(this.#open, at);
      else if (isSpace(piece.charCodeAt(at))) at++;
      else at = this.#step(at);
    }
    this.#leavePiece();
  }

  /** Throws ImportProblems when the document is not complete. */
  end(): void {
    this.#piece = '';
    // A number has no end of its own.
    if (this.#open?.of === 'document' && this.#open.isScalar) this.#close(this.#open, 0);
    if (this.#state !== 'end') this.#fail(this.#pieceStart);
  }

  /** Takes one character that is not within a value, and returns where to go on. */
  #step(at: number): number {
    const character = this.#piece[at];
    switch (this.#state) {
      case 'document':
        // Some programs put a byte order mark in front.
        if (character === '\ufeff' && at === 0) return at + 1;
        if (character === '{') return this.#goOn('first-key', at);
        return this.#begin('document', at);
      case 'first-key':
        if (character === '}') return this.#goOn('end', at);
        return this.#beginKey(at);
      case 'key':
        return this.#beginKey(at);
      case 'colon':
        if (character === ':') return this.#goOn('value', at);
        break;
      case 'value':
        this.#index = 0;
        if (character === '[' && this.#handing === 'by-element') return this.#goOn('first-element', at);
        return this.#begin('member', at);
      case 'first-element':
        if (character === ']') return this.#goOn('after-value', at);
        return this.#begin('element', at);
      case 'element':
        return this.#begin('element', at);
      case 'after-element':
        if (character === ',') return this.#goOn('element', at);
        if (character === ']') return this.#goOn('after-value', at);
        break;
      case 'after-value':
        if (character === ',') return this.#goOn('key', at);
        if (character === '}') return this.#goOn('end', at);
        break;
      case 'end':
        break;
    }
    return this.#fail(this.#positionOf(at));
  }

  #goOn(state: State, at: number): number {
    this.#state = state;
    return at + 1;
  }

  #beginKey(at: number): number {
    if (this.#piece[at] !== '"') this.#fail(this.#positionOf(at));
    return this.#begin('key', at);
  }

  #begin(of: OpenValue['of'], at: number): number {
    const character = this.#piece[at] as string;
    if (!VALUE_START.test(character)) this.#fail(this.#positionOf(at));
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

  /** Looks for the end of a value, and returns where to go on. */
  #readOn(value: OpenValue, from: number): number {
    const piece = this.#piece;
    let { depth, colons, inString, isEscaped } = value;
    let at = from;
    let isDone = false;
    for (; at < piece.length && !isDone; at++) {
      const code = piece.charCodeAt(at);
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (code === BACKSLASH) isEscaped = true;
        else if (code === QUOTE) {
          inString = false;
          isDone = depth === 0;
        }
      } else if (code === QUOTE) inString = true;
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
    if (!isDone) return at;
    // What ends a number or a word is no part of it.
    const end = value.isScalar ? at - 1 : at;
    this.#close(value, end);
    return end;
  }

  #close(value: OpenValue, end: number): void {
    this.#open = undefined;
    const text = value.dropped === undefined ? value.head + this.#piece.slice(value.start, end) : '';
    if (text.length > MAX_VALUE_CHARACTERS) value.dropped = 'too-long';
    if (value.dropped === undefined) this.#handOver(value, text);
    else this.#tellDropped(value, value.dropped);
    this.#state = NEXT_STATE[value.of];
    if (value.of === 'element') this.#index++;
  }

  #handOver(value: OpenValue, text: string): void {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      const [flaw] = findFlaws(text).filter(({ kind }) => kind === 'syntax');
      this.#fail(positionIn(text, flaw?.offset ?? 0, this.#startOf(value)));
    }
    if (value.colons > 0 && value.colons !== countKeys(parsed)) {
      for (const flaw of findFlaws(text)) this.#tellKeyTwice(value, text, flaw);
      return;
    }
    switch (value.of) {
      case 'key':
        this.#key = parsed as string;
        this.#handing = this.#receiver.member(this.#key, this.#startOf(value));
        break;
      case 'element':
        this.#receiver.element(this.#key, this.#index, parsed);
        break;
      case 'member':
        this.#receiver.value(this.#key, parsed);
        break;
      case 'document':
        this.#receiver.value(undefined, parsed);
        break;
    }
  }

  #tellDropped(value: OpenValue, why: 'unwanted' | 'too-long' | 'too-deep'): void {
    if (why === 'unwanted') return;
    // A member without a name is wanted by nobody.
    if (value.of === 'key') this.#handing = 'not-at-all';
    const subject = { document: 'the document ', key: 'a key ', member: '', element: '' }[value.of];
    const message = why === 'too-long' ? TOO_LONG : TOO_DEEP;
    const position = describePosition(this.#startOf(value));
    this.#receiver.problem(placeOf(...this.#pathOf(value)), `${subject}${message} (${position})`);
  }

  #tellKeyTwice(value: OpenValue, text: string, flaw: JsonFlaw): void {
    if (flaw.kind !== 'key-twice') return;
    const position = positionIn(text, flaw.offset, this.#startOf(value));
    this.#receiver.problem(placeOf(...this.#pathOf(value), ...flaw.path), keyTwice(position));
  }

  #pathOf({ of }: OpenValue): (string | number)[] {
    if (of === 'document' || of === 'key') return [];
    return of === 'element' ? [this.#key, this.#index] : [this.#key];
  }

  /** Keeps what the next pieces need of this one. */
  #leavePiece(): void {
    const value = this.#open;
    if (value !== undefined) {
      value.position ??= this.#positionOf(value.start);
      const length = value.head.length + this.#piece.length - value.start;
      if (length > MAX_VALUE_CHARACTERS) value.dropped ??= 'too-long';
      value.head = value.dropped === undefined ? value.head + this.#piece.slice(value.start) : '';
      value.start = 0;
    }
    this.#pieceStart = this.#positionOf(this.#piece.length);
    this.#piece = '';
  }

  #startOf(value: OpenValue): Position {
    return value.position ?? this.#positionOf(value.start);
  }

  #positionOf(at: number): Position {
    return positionIn(this.#piece, at, this.#pieceStart);
  }

  #fail(position: Position): never {
    throw new ImportProblems([
      { place: '', message: `the file is not valid JSON at ${describePosition(position)}` },
    ]);
  }
}

/** The message for a key that an object has twice. */
export function keyTwice(position: Position): string {
  return `the key is there for a second time (${describePosition(position)})`;
}

const TOO_LONG = `is longer than ${MAX_VALUE_CHARACTERS} characters`;
const TOO_DEEP = `is nested more than ${MAX_DEPTH} levels deep`;

const NEXT_STATE: Readonly<Record<OpenValue['of'], State>> = {
  document: 'end',
  key: 'colon',
  member: 'after-value',
  element: 'after-element',
};

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const END_BRACKET = 0x5d;
const BRACE = 0x7b;
const END_BRACE = 0x7d;
const VALUE_START = /[{["\-0-9tfn]/;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** How many keys the objects in a value have, which is not nested deeply. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value);
  let count = Array.isArray(value) ? 0 : inside.length;
  for (const item of inside) if (typeof item === 'object') count += countKeys(item);
  return count;
}

/** Where a character of a text is, by where the text begins. */
function positionIn(text: string, offset: number, { line, column }: Position): Position {
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

function describePosition({ line, column }: Position): string {
  return `line ${line}, column ${column}`;
}
