/**
 * The bytes of a document → its parts, checked, as they are read. Memory holds some hundred kilobytes of it at a time,
 * however large it is and in whichever order its keys come.
 */

import type { Table } from '../store/records.ts';
import {
  checkAccount,
  checkNoRecords,
  checkRecord,
  type DocumentPart,
  type Given,
  isKnownKey,
  isTable,
  MISSING_ACCOUNT,
  notADocument,
  unknownKey,
} from './document.ts';
import { type JsonReceiver, JsonSplitter, keyTwice } from './json-splitter.ts';
import { placeOf } from './place.ts';
import { ProblemList } from './problems.ts';

/** Records are handed on when there are this many, or when something of another kind comes. */
const RECORDS_PER_PART = 1_000;

/**
 * Throws ImportProblems at the end of the document, or where it stops being JSON, and what TextDecoder throws where it
 * stops being UTF-8. Once there is a problem, parts are only checked and no longer handed on.
 */
export async function* readDocument(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<DocumentPart> {
  const problems = new ProblemList();
  const parts = gatherParts(problems);
  const splitter = new JsonSplitter(parts);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of bytes) {
    splitter.write(decoder.decode(chunk, { stream: true }));
    yield* parts.takeFull();
  }
  splitter.write(decoder.decode());
  splitter.end();
  yield* parts.end();
}

interface Gathering extends JsonReceiver {
  /** What can be handed on, unless that is little. */
  takeFull(): readonly DocumentPart[];
  end(): readonly DocumentPart[];
}

function gatherParts(problems: ProblemList): Gathering {
  const keys = new Set<string>();
  let parts: DocumentPart[] = [];
  let table: Table | undefined;
  let records: Given<Table>[] = [];
  let isFull = false;
  let hasMembers = false;

  function finishPart(): void {
    if (table !== undefined && records.length > 0) parts.push({ table, records } as DocumentPart);
    records = [];
  }

  function take(): DocumentPart[] {
    const taken = problems.count === 0 ? parts : [];
    parts = [];
    isFull = false;
    return taken;
  }

  return {
    member(key, position) {
      hasMembers = true;
      if (!isKnownKey(key)) problems.add(unknownKey(key));
      else if (keys.has(key)) problems.add({ place: placeOf(key), message: keyTwice(position) });
      else {
        finishPart();
        keys.add(key);
        table = isTable(key) ? key : undefined;
        return table === undefined ? 'whole' : 'by-element';
      }
      return 'not-at-all';
    },
    value(key, value) {
      if (key === undefined) problems.add(notADocument(value));
      else if (isTable(key)) checkNoRecords(key, value, problems);
      else if (key === 'account') {
        const account = checkAccount(value, problems);
        if (account !== undefined) parts.push({ account });
      }
    },
    element(key, index, value) {
      const record = checkRecord(key as Table, index, value, problems);
      if (record === undefined || problems.count > 0) return;
      records.push(record);
      if (records.length < RECORDS_PER_PART) return;
      finishPart();
      isFull = true;
    },
    problem: (place, message) => problems.add({ place, message }),
    takeFull: () => (isFull ? take() : []),
    end() {
      // Of what is no object, that is not worth telling.
      const isObject = hasMembers || problems.count === 0;
      if (isObject && !keys.has('account')) problems.add(MISSING_ACCOUNT);
      problems.check();
      finishPart();
      return take();
    },
  };
}
