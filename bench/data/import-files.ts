/** An account as files that can be imported: the same shifts as a JSON document and as a sheet. */

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ImportDocument } from '../../src/import/whole-document.ts';
import type { Day } from '../../src/listing/calendar.ts';
import { type AccountPlan, monthlyDocuments } from './shifts.ts';

export type FileFormat = 'json' | 'csv';

/** Returns how many shifts it has. */
export async function writeImportFile(
  path: string,
  format: FileFormat,
  plan: AccountPlan,
  today: Day,
): Promise<number> {
  let shifts = 0;
  function* counted() {
    for (const document of monthlyDocuments(plan, today)) {
      shifts += document.shifts.length;
      yield document;
    }
  }
  const text = format === 'json' ? jsonOf(counted()) : csvOf(counted());
  await pipeline(Readable.from(text), createWriteStream(path));
  return shifts;
}

function* jsonOf(documents: Iterable<ImportDocument>): Generator<string> {
  let isFirst = true;
  for (const { account, groups, locations, people, shifts } of documents) {
    const head = JSON.stringify({ account, groups, locations, people }).slice(0, -1);
    yield isFirst ? `${head},"shifts":[` : ',';
    isFirst = false;
    yield shifts.map((shift) => `\n${JSON.stringify(shift)}`).join();
  }
  yield '\n]}\n';
}

const COLUMNS =
  'id,date,start_time,end_time,group,location,person,publish_date,remarks,starred,cancelled,noshow';

function* csvOf(documents: Iterable<ImportDocument>): Generator<string> {
  yield `${COLUMNS}\n`;
  for (const { groups, locations, people, shifts } of documents) {
    const names = [groups, locations, people].map(
      (records) => new Map(records.map(({ id, name = '' }) => [id, quoted(name)])),
    );
    const rows = shifts.map((shift) => {
      const [group, location, person] = [shift.group_id, shift.location_id, shift.person_id].map(
        (id, i) => (id && names[i]?.get(id)) || '',
      );
      const flags = [shift.starred, shift.cancelled, shift.noshow].map((flag) => (flag ? 'x' : ''));
      const { id, date, start_time, end_time, publish_date, remarks = '' } = shift;
      return [
        id,
        date,
        start_time,
        end_time,
        group,
        location,
        person,
        publish_date,
        quoted(remarks),
        ...flags,
      ];
    });
    yield rows.map((row) => `${row.join()}\n`).join('');
  }
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
