/** Turns the problems that the database found in a record into sentences, in the order in which they are shown. */

import { type FlawedRecord, LAST_DATE } from '../store/import-store.ts';
import { type Flaw, REFERENCES, type ShiftRecord, type Table } from '../store/records.ts';
import { placeAt, placeInSheet, placeOf } from './place.ts';
import { type ImportProblem, recordProblem, rowProblem, WITHOUT_IDS } from './problems.ts';

export function problemsOf<T extends Table>(
  table: T,
  record: FlawedRecord<T>,
  isOfSheet: boolean,
): ImportProblem[] {
  const { position, id, lacking, hasUnknownLongId } = record;
  const shift = record.after as Partial<ShiftRecord>;
  const flaws: Flaw[] = [
    ...repeatedId(table, record, isOfSheet),
    ...record.flaws,
    ...(hasUnknownLongId ? [{ path: ['id'], message: `the account has no shift ${id}: ${ROUNDED_ID}` }] : []),
    ...(lacking.length > 0 && !hasUnknownLongId
      ? [{ path: [], message: `is new and lacks ${lacking.join(', ')}` }]
      : []),
    ...impossibleEnd(record, shift),
    ...missingReferences(record, shift),
  ];
  return flaws.map((flaw) =>
    isOfSheet ? rowProblem(position, flaw) : recordProblem(table, position, id, flaw),
  );
}

const ROUNDED_ID = `spreadsheets change the end of ids with more than 15 digits; ${WITHOUT_IDS}`;

function repeatedId<T extends Table>(
  table: T,
  { id, firstPosition }: FlawedRecord<T>,
  isOfSheet: boolean,
): Flaw[] {
  if (firstPosition === undefined) return [];
  const first = isOfSheet ? placeInSheet(placeAt(firstPosition)) : placeOf(table, firstPosition);
  return [{ path: ['id'], message: `${id} is the id of ${first} too` }];
}

function impossibleEnd({ end }: FlawedRecord<Table>, shift: Partial<ShiftRecord>): Flaw[] {
  const { date, start_time, end_date, end_time } = shift;
  switch (end) {
    case 'too early': {
      const message = `the end, ${end_date} ${end_time}, is not after the start, ${date} ${start_time}`;
      return [{ path: ['end_date'], message }];
    }
    case 'too late':
      return [{ path: ['end_time'], message: `${end_time} comes after ${LAST_DATE}, the last date` }];
    case undefined:
      return [];
  }
}

function missingReferences({ missing }: FlawedRecord<Table>, shift: Partial<ShiftRecord>): Flaw[] {
  return REFERENCES.flatMap(([field, , noun]) => {
    const why = missing.find((one) => one.field === field)?.why;
    if (why === undefined) return [];
    const message =
      why === 'nowhere'
        ? `there is no ${noun} ${shift[field]} in the document or the account`
        : `${noun} ${shift[field]} is not in the document, so it would be removed`;
    return [{ path: [field], message }];
  });
}
