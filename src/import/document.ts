/** The import document in parts, so that it need not be in memory as a whole. */

import { type StagedRecord, TABLES, type Table } from '../store/records.ts';
import type { SheetRow } from './csv/sheet.ts';
import type { Given, GivenAccount } from './fields.ts';
import { gatherParts } from './json/parts.ts';
import { JsonSplitter } from './json/splitter.ts';
import { type ImportProblem, ProblemList, recordProblem } from './problems.ts';

/** A document that is in memory as a whole. */
export type ImportDocument = { account: GivenAccount } & { [T in Table]: Given<T>[] };

export type DocumentPart = JsonPart | SheetPart;

/** Records of a kind follow each other in the order of the document. */
export type JsonPart =
  | { readonly account: GivenAccount }
  | { [T in Table]: { readonly table: T; readonly records: readonly StagedRecord<T>[] } }[Table]
  | DocumentProblem;

/** The account comes first. */
export type SheetPart = { readonly account: GivenAccount } | SheetRows | DocumentProblem;

export interface SheetRows {
  readonly rows: readonly SheetRow[];
  readonly hasAddresses: boolean;
}

/** A problem of the document itself or of its account. */
export interface DocumentProblem {
  readonly problem: ImportProblem;
  /** Some records of these could not be read, so no reference to them is reported as missing. */
  readonly hides: readonly (Table | 'account')[];
}

export function partsOf(document: ImportDocument): JsonPart[] {
  const { account } = document;
  return [{ account }, ...TABLES.map((table) => ({ table, records: document[table] }) as JsonPart)];
}

/** Throws ImportProblems. Problems that need the database are found by the import. */
export function checkDocument(value: unknown): ImportDocument {
  const parts = gatherParts();
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
