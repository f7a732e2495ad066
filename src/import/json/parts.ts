/** Collects what the splitter finds into checked parts. */

import { quote } from '../../quote.ts';
import { type Flaw, type StagedRecord, TABLES, type Table } from '../../store/records.ts';
import { checkAccount, checkRecord, noSuchKey } from '../check.ts';
import type { DocumentProblem, JsonPart } from '../document.ts';
import type { GivenAccount } from '../fields.ts';
import { meantKey } from '../misspelt.ts';
import { placeOf } from '../place.ts';
import { type JsonReceiver, keyTwice } from './splitter.ts';

/** Records are passed on when there are this many, flaws included, or when another kind of part follows. */
const RECORDS_PER_PART = 1_000;

export interface Gathering extends JsonReceiver {
  /** The parts so far, unless there are few. */
  takeFull(): readonly JsonPart[];
  /** The rest. */
  end(): readonly JsonPart[];
  /** The rest of a document whose reading failed. The problem comes first, because nothing will be written. */
  breakOff(message: string): readonly JsonPart[];
}

export function gatherParts(): Gathering {
  const keys = new Set<string>();
  let parts: JsonPart[] = [];
  let table: Table | undefined;
  let records: StagedRecord<Table>[] = [];
  let weight = 0;
  let isFull = false;
  let isObject = true;

  function tell(place: string, message: string, hides: DocumentProblem['hides'] = []): void {
    finishPart();
    parts.push({ problem: { place, message }, hides });
  }

  function tellAll(
    key: string | undefined,
    flaws: readonly Flaw[],
    hides: DocumentProblem['hides'] = [],
  ): void {
    for (const { path, message } of flaws) {
      tell(placeOf(...(key === undefined ? [] : [key]), ...path), message, hides);
    }
  }

  function finishPart(): void {
    if (table !== undefined && records.length > 0) parts.push({ table, records } as JsonPart);
    isFull ||= weight + parts.length >= RECORDS_PER_PART;
    records = [];
    weight = 0;
  }

  function take(): JsonPart[] {
    const taken = parts;
    parts = [];
    isFull = false;
    return taken;
  }

  return {
    member(key, position) {
      const isKnown = key === 'account' || key === '$schema' || isTable(key);
      if (isKnown && !keys.has(key)) {
        finishPart();
        keys.add(key);
        table = isTable(key) ? key : undefined;
        return table === undefined ? 'whole' : 'by-element';
      }
      const meant = isKnown ? key : meantKey('document', key);
      const message = isKnown ? keyTwice(position) : noSuchKey(meant);
      tell(placeOf(key), message, meant === 'account' || isTable(meant) ? [meant] : []);
      if (meant === 'account') keys.add(meant);
      return 'not-at-all';
    },
    value(key, value, flaws) {
      if (key === 'account') {
        const { good, flaws: all } = checkAccount(value, flaws);
        tellAll(key, all, good.slug === undefined ? ['account'] : []);
        if (good.slug !== undefined) parts.push({ account: good as GivenAccount });
        return;
      }
      tellAll(key, flaws, isTable(key) ? [key] : []);
      if (key === undefined) isObject = false;
      if (value === undefined) return;
      if (key === undefined) tell('', `${quote(value)} is not an object with an account`);
      // An array that is null is empty.
      else if (isTable(key) && value !== null) tell(key, `${quote(value)} is not an array`, [key]);
    },
    element(key, _index, value, flaws) {
      const record = checkRecord(key as Table, value, flaws);
      records.push(record);
      weight += 1 + (record.flawed?.flaws.length ?? 0);
      if (weight >= RECORDS_PER_PART) finishPart();
    },
    problem: (message) => tell('', message),
    takeFull: () => (isFull ? take() : []),
    end() {
      if (isObject && !keys.has('account')) tell('account', 'is missing', ['account']);
      finishPart();
      return take();
    },
    breakOff(message) {
      finishPart();
      return [{ problem: { place: '', message }, hides: ['account', ...TABLES] }, ...take()];
    },
  };
}

function isTable(key: string | undefined): key is Table {
  return (TABLES as readonly (string | undefined)[]).includes(key);
}
