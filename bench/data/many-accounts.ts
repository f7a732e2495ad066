/** A database with thousands of small accounts: one is imported, the others are copies of its rows. */

import { DatabaseSync } from 'node:sqlite';
import { hashToken, makeToken } from '../../src/feed/access/token.ts';
import { importDocument } from '../../src/import/import.ts';
import { type Day, formatDate } from '../../src/listing/calendar.ts';
import { openStore } from '../../src/store/open.ts';

const SHIFTS = 40;
const TEMPLATE = 'template';

export async function fillManyAccounts(
  path: string,
  count: number,
  today: Day,
): Promise<readonly { readonly path: string; readonly headers: Readonly<Record<string, string>> }[]> {
  await importTemplate(path, today);
  const database = new DatabaseSync(path);
  database.exec('BEGIN');
  const addAccount = database.prepare(
    `INSERT INTO accounts (slug, name, premium) VALUES (?, 'Small', 1) RETURNING id`,
  );
  const addToken = database.prepare('INSERT INTO tokens (account_id, hash, created_at) VALUES (?, ?, 0)');
  const copies = ['groups', 'locations', 'people', 'shifts'].map((table) => copyRows(database, table));
  const accounts = Array.from({ length: count }, (_, i) => {
    const slug = `small-${i}`;
    const token = makeToken();
    const { id } = addAccount.get(slug) as { id: number };
    addToken.run(id, hashToken(token));
    for (const copy of copies) copy.run(id, TEMPLATE);
    return { path: `/${slug}/api/v1/shifts`, headers: { authorization: `Bearer ${token}` } };
  });
  database.exec('COMMIT');
  database.close();
  return accounts;
}

async function importTemplate(path: string, today: Day): Promise<void> {
  const store = await openStore(`sqlite:${path}`, { missing: 'create' });
  const document = {
    account: { slug: TEMPLATE, premium: true },
    groups: [{ id: 1, name: 'Counter' }],
    locations: [{ id: 1, name: 'Harbour', address: 'Harbour Road 1' }],
    people: [{ id: 1, name: 'Noor Vermeer' }],
    // Spread over the year, so that an account takes a dozen blocks.
    shifts: Array.from({ length: SHIFTS }, (_, i) => ({
      id: i + 1,
      date: formatDate((today + i * 9) as Day),
      start_time: '09:00',
      end_time: '17:30',
      group_id: 1,
      location_id: 1,
      person_id: 1,
      publish_date: formatDate(today),
      remarks: '',
    })),
  };
  await importDocument(store, document, { replace: false, dryRun: false });
  await store.close();
}

/** A statement that gives an account the rows of another, which is named by its slug. */
function copyRows(database: DatabaseSync, table: string) {
  const columns = database
    .prepare(`SELECT name FROM pragma_table_info(?) WHERE name <> 'account_id'`)
    .all(table)
    .map(({ name }) => name)
    .join();
  return database.prepare(
    `INSERT INTO ${table} (account_id, ${columns}) SELECT ?, ${columns} FROM ${table} WHERE account_id = (SELECT id FROM accounts WHERE slug = ?)`,
  );
}
