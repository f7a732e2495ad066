/** Triggers take the place of the foreign keys of shifts. Whatever a program writes, no shift may refer to nothing. */

import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { openStore } from '../../src/store/open.ts';
import { watchBackends } from '../support/backends.ts';
import { newStoreUrl } from '../support/database.ts';

const TABLES = [
  ['groups', 'group_id'],
  ['locations', 'location_id'],
  ['people', 'person_id'],
] as const;
const DAY = "'2026-12-01', '09:00', '17:00', '2026-12-01', '2026-01-01'";
const COLUMNS =
  'account_id, id, date, start_time, end_time, end_date, publish_date, group_id, location_id, person_id';

/** A shift of account 1, of things that are there unless another id is given. */
const insertShift = (id: number, { group = 1, location = 1, person = 1, account = 1 } = {}) =>
  `INSERT INTO shifts (${COLUMNS}) VALUES (${account}, ${id}, ${DAY}, ${group}, ${location}, ${person})`;

describe('References of shifts on PostgreSQL', () => {
  let url: string;
  let program: Client;
  let other: Client;
  const ends: (() => Promise<unknown>)[] = [];

  before(async () => {
    const scope = { after: (end: () => Promise<unknown>) => ends.unshift(end) } as unknown as TestContext;
    url = await newStoreUrl(scope, 'postgres');
    await (await openStore(url, { missing: 'create' })).close();
    [program, other] = [await connected(url), await connected(url)];
    ends.unshift(
      () => program.end(),
      () => other.end(),
    );
    await program.query(`INSERT INTO accounts (slug, name) VALUES ('acme', 'Acme'), ('other', 'Other')`);
    for (const [table] of TABLES) {
      // What only the other account has is of no use to the first.
      await program.query(
        `INSERT INTO ${table} (account_id, id, name) VALUES (1, 1, 'One'), (1, 2, 'Two'), (2, 1, 'One'), (2, 9, 'Nine')`,
      );
    }
    await program.query(insertShift(1));
  });
  after(async () => {
    for (const end of ends) await end();
  });

  const refused: readonly (readonly [string, string, string])[] = [
    [
      'a shift of no group',
      insertShift(5, { group: 9 }),
      'shift 5 of account 1 violates a foreign key: there is no group 9',
    ],
    [
      'a shift at no location',
      insertShift(5, { location: 9 }),
      'shift 5 of account 1 violates a foreign key: there is no location 9',
    ],
    [
      'a shift of nobody',
      insertShift(5, { person: 9 }),
      'shift 5 of account 1 violates a foreign key: there is no person 9',
    ],
    [
      'a shift of no account',
      insertShift(5, { account: 7 }),
      'shift 5 of account 7 violates a foreign key: there is no group 1',
    ],
    [
      'a shift that moves to no group',
      'UPDATE shifts SET group_id = 9',
      'shift 1 of account 1 violates a foreign key: there is no group 9',
    ],
    [
      'a shift that moves to no account',
      'UPDATE shifts SET account_id = 7',
      'shift 1 of account 7 violates a foreign key: there is no group 1',
    ],
    [
      'one bad row of many',
      `INSERT INTO shifts (${COLUMNS}) SELECT 1, n, ${DAY}, 1, CASE n WHEN 700 THEN 9 END, NULL FROM generate_series(5, 900) AS n`,
      'shift 700 of account 1 violates a foreign key: there is no location 9',
    ],
    [
      'an upsert',
      `${insertShift(1, { person: 9 })} ON CONFLICT (account_id, id) DO UPDATE SET person_id = excluded.person_id`,
      'shift 1 of account 1 violates a foreign key: there is no person 9',
    ],
    ...TABLES.flatMap(([table, column]) => {
      const sentence = `removing ${column.slice(0, -3)} 1 of account 1 violates a foreign key: shift 1 has it`;
      return [
        [`a DELETE from ${table}`, `DELETE FROM ${table}`, sentence],
        [`another id of ${table}`, `UPDATE ${table} SET id = id + 10`, sentence],
        [
          `a TRUNCATE of ${table}`,
          `TRUNCATE ${table}`,
          `truncating ${table} violates a foreign key: shifts have them`,
        ],
      ] as const;
    }),
  ];
  for (const [name, statement, sentence] of refused) {
    test(`${name} is refused`, async () => {
      await assert.rejects(program.query(statement), (error: Error & { code?: string }) => {
        assert.deepEqual([error.code, error.message], ['23503', sentence]);
        return true;
      });
      assert.deepEqual((await program.query('SELECT id FROM shifts')).rows, [{ id: '1' }]);
    });
  }

  const allowed: readonly (readonly [string, string])[] = [
    ['a shift without location and person', insertShift(5).replace('1, 1, 1)', '1, NULL, NULL)')],
    ['a group without shifts that goes', 'DELETE FROM groups WHERE id = 2'],
    ['a group without shifts that gets another id', 'UPDATE groups SET id = 3 WHERE id = 2'],
    ['a group that gets another name', "UPDATE groups SET name = 'Other'"],
    [
      'a group with its first shift',
      `WITH made AS (INSERT INTO groups (account_id, id, name) VALUES (1, 4, 'Four')) ${insertShift(5, { group: 4 })}`,
    ],
    [
      'a group that goes with its last shift',
      'WITH gone AS (DELETE FROM shifts) DELETE FROM groups WHERE account_id = 1 AND id = 1',
    ],
    ['all tables truncated', 'TRUNCATE groups, locations, people, shifts'],
    ['an account that goes with all that it has', 'DELETE FROM accounts WHERE id = 1'],
  ];
  for (const [name, statement] of allowed) {
    test(`${name} is fine`, async () => {
      await program.query(`BEGIN; ${statement}; ROLLBACK`);
    });
  }

  test('a TRUNCATE that might not see a shift is refused', async () => {
    await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM accounts');
    await assert.rejects(
      other.query('TRUNCATE groups'),
      /^error: groups can be truncated by a READ COMMITTED transaction only$/,
    );
    await other.query('ROLLBACK');
  });

  for (const isolation of ['READ COMMITTED', 'REPEATABLE READ'] as const) {
    for (const [table, column] of TABLES) {
      const shiftOfTwo = insertShift(6, { [column.slice(0, -3)]: 2 });
      const removal = `DELETE FROM ${table} WHERE account_id = 1 AND id = 2`;
      for (const [name, first, second] of [
        [`a shift that comes while its row of ${table} goes`, removal, shiftOfTwo],
        [`a row of ${table} that goes while a shift of it comes`, shiftOfTwo, removal],
      ] as const) {
        test(`${name} is refused, ${isolation}`, async (context) => {
          const backends = await watchBackends(context, url);
          await program.query(`BEGIN; ${first}`);
          // The second has its view of the database from before the first is committed.
          await other.query(`BEGIN ISOLATION LEVEL ${isolation}; SELECT FROM shifts`);
          const outcome = other.query(second).then(
            () => 'done',
            (error: { code?: string }) => error.code,
          );
          await backends.whenWaiting(1);
          await program.query('COMMIT');
          assert.equal(await outcome, isolation === 'READ COMMITTED' ? '23503' : '40001');
          await other.query('ROLLBACK');
          await program.query('DELETE FROM shifts WHERE id = 6');
          await program.query(
            `INSERT INTO ${table} (account_id, id, name) VALUES (1, 2, 'Two') ON CONFLICT DO NOTHING`,
          );
        });
      }
    }
  }
});

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, options: '-c search_path=shiftfeed' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
