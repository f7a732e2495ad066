/**
 * Reads a document as a stream of checked parts. Some hundred kilobytes are in memory at a time, however large the
 * document is and in whichever order its keys come.
 */

import { quote } from '@shiftfeed/common/quote';
import { Utf8Reader } from '@shiftfeed/sheets';
import { type Flaw, type StagedRecord, TABLES, type Table } from '../../store/records.ts';
import { checkAccount, checkRecord, meantKey, noSuchKey } from '../check.ts';
import type { DocumentProblem, JsonPart } from '../document.ts';
import type { GivenAccount } from '../fields.ts';
import { placeOf } from '../problems.ts';
import { BrokenText, type JsonReceiver, JsonSplitter, keyTwice, type Position } from './splitter.ts';

/** If a document stops being UTF-8 or JSON, its parts end there. */
export async function* readDocument(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<JsonPart> {
  const parts = new PartGathering();
  const splitter = new JsonSplitter(parts);
  const reader = new Utf8Reader();
  try {
    for await (const chunk of bytes) {
      const { text, isUtf8 } = reader.read(chunk);
      splitter.write(text);
      if (!isUtf8) splitter.fail(NOT_UTF_8);
      yield* parts.takeFull();
    }
    if (reader.unread().length > 0) splitter.fail(NOT_UTF_8);
    splitter.end();
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
    yield* parts.breakOff(error.message);
    return;
  }
  yield* parts.end();
}

const NOT_UTF_8 = 'is not UTF-8';

/** A part is passed on when it has this many records, flaws included, or when another kind of part follows. */
const RECORDS_PER_PART = 1_000;

/** Collects what the splitter finds into checked parts. */
class PartGathering implements JsonReceiver {
  readonly #keys = new Set<string>();
  #parts: JsonPart[] = [];
  #table: Table | undefined;
  #records: StagedRecord<Table>[] = [];
  #weight = 0;
  #isFull = false;
  #isObject = true;

  member(key: string, position: Position): 'whole' | 'by-element' | 'not-at-all' {
    const isKnown = key === 'account' || key === '$schema' || isTable(key);
    if (isKnown && !this.#keys.has(key)) {
      this.#finishPart();
      this.#keys.add(key);
      this.#table = isTable(key) ? key : undefined;
      return this.#table === undefined ? 'whole' : 'by-element';
    }
    const meant = isKnown ? key : meantKey('document', key);
    const message = isKnown ? keyTwice(position) : noSuchKey(meant);
    this.#tell(placeOf(key), message, meant === 'account' || isTable(meant) ? [meant] : []);
    if (meant === 'account') this.#keys.add(meant);
    return 'not-at-all';
  }

  value(key: string | undefined, value: unknown, flaws: readonly Flaw[]): void {
    if (key === 'account') {
      const { good, flaws: all } = checkAccount(value, flaws);
      this.#tellAll(key, all, good.slug === undefined ? ['account'] : []);
      if (good.slug !== undefined) this.#parts.push({ account: good as GivenAccount });
      return;
    }
    this.#tellAll(key, flaws, isTable(key) ? [key] : []);
    if (key === undefined) this.#isObject = false;
    if (value === undefined) return;
    if (key === undefined) this.#tell('', `${quote(value)} is not an object with an account`);
    // An array that is null is empty.
    else if (isTable(key) && value !== null) this.#tell(key, `${quote(value)} is not an array`, [key]);
  }

  element(key: string, value: unknown, flaws: readonly Flaw[]): void {
    const record = checkRecord(key as Table, value, flaws);
    this.#records.push(record);
    this.#weight += 1 + (record.flawed?.flaws.length ?? 0);
    if (this.#weight >= RECORDS_PER_PART) this.#finishPart();
  }

  problem(message: string): void {
    this.#tell('', message);
  }

  /** The parts so far, or none until there are enough of them. */
  takeFull(): readonly JsonPart[] {
    return this.#isFull ? this.#take() : [];
  }

  /** The remaining parts. */
  end(): readonly JsonPart[] {
    if (this.#isObject && !this.#keys.has('account')) this.#tell('account', 'is missing', ['account']);
    this.#finishPart();
    return this.#take();
  }

  /**
   * The remaining parts of a document whose reading failed. The problem comes first, because nothing will be written.
   */
  breakOff(message: string): readonly JsonPart[] {
    this.#finishPart();
    return [{ problem: { place: '', message }, hides: ['account', ...TABLES] }, ...this.#take()];
  }

  #tell(place: string, message: string, hides: DocumentProblem['hides'] = []): void {
    this.#finishPart();
    this.#parts.push({ problem: { place, message }, hides });
  }

  #tellAll(key: string | undefined, flaws: readonly Flaw[], hides: DocumentProblem['hides']): void {
    for (const { path, message } of flaws) {
      this.#tell(placeOf(...(key === undefined ? [] : [key]), ...path), message, hides);
    }
  }

  #finishPart(): void {
    if (this.#table !== undefined && this.#records.length > 0)
      this.#parts.push({ table: this.#table, records: this.#records } as JsonPart);
    this.#isFull ||= this.#weight + this.#parts.length >= RECORDS_PER_PART;
    this.#records = [];
    this.#weight = 0;
  }

  #take(): JsonPart[] {
    const taken = this.#parts;
    this.#parts = [];
    this.#isFull = false;
    return taken;
  }
}

function isTable(key: string | undefined): key is Table {
  return (TABLES as readonly (string | undefined)[]).includes(key);
}
