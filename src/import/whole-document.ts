/** A document that is in memory as a whole, because a program made it, and not a stream from a file. */

import { type StagedRecord, TABLES, type Table } from '../store/records.ts';
import type { JsonPart } from './document.ts';
import type { Given, GivenAccount } from './fields.ts';
import { PartGathering } from './json/read.ts';
import { JsonSplitter } from './json/splitter.ts';
import { ProblemList, recordProblem } from './problems.ts';

export type ImportDocument = { account: GivenAccount } & { [T in Table]: Given<T>[] };

export function partsOf(document: ImportDocument): JsonPart[] {
  const { account } = document;
  return [{ account }, ...TABLES.map((table) => ({ table, records: document[table] }) as JsonPart)];
}

/** Throws ImportProblems. Problems that need the database are found by the import. */
export function checkDocument(value: unknown): ImportDocument {
  const parts = new PartGathering();
  const splitter = new JsonSplitter(parts);
  splitter.write(JSON.stringify(value));
  splitter.end();
  const document = { groups: [], locations: [], people: [], shifts: [] } as unknown as ImportDocument;
  const problems = new ProblemList();
  for (const part of parts.end()) {
    if ('problem' in part) problems.add(part.problem);
    else if ('account' in part) document.account = part.account;
    else addRecords(document[part.table], part.table, part.records, problems);
  }
  problems.check();
  return document;
}

function addRecords<T extends Table>(
  list: Given<T>[],
  table: T,
  records: readonly StagedRecord<T>[],
  problems: ProblemList,
): void {
  for (const record of records) {
    for (const flaw of record.flawed?.flaws ?? []) {
      problems.add(recordProblem(table, list.length, record.id, flaw));
    }
    list.push(record as unknown as Given<T>);
  }
}
