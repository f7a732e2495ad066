import type { AccountReading } from '../store/admin/export.ts';
import { type RecordOf, TABLES } from '../store/records.ts';
import { makeReferences, type NoticeTeller } from './references.ts';

/** The import document of an account, with a record a line. */
export async function* jsonOf(
  { account, records }: AccountReading,
  tell: NoticeTeller,
): AsyncGenerator<string> {
  const { slug, name, premium, timeZone, sort } = account;
  const references = makeReferences(tell);
  yield `{\n"account": ${JSON.stringify({ slug, name, premium, time_zone: timeZone, sort })}`;
  for (const table of TABLES) {
    yield `,\n"${table}": [`;
    let separator = '\n';
    for await (const some of records(table)) {
      if (table === 'shifts') references.check(some as readonly RecordOf<'shifts'>[]);
      else references.add(table, some);
      yield separator + some.map((record) => JSON.stringify(record)).join(',\n');
      separator = ',\n';
    }
    yield separator === '\n' ? ']' : '\n]';
  }
  yield '\n}\n';
  references.end();
}
