import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ALWAYS, repeatUnchanged } from '../../src/store/sqlite/feed.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { stateIn } from '../support/told-state.ts';

test('what is written between the first look and the reading is seen in all answers, also in those that were kept', async (context) => {
  const path = (await newDatabaseUrl(context)).slice('sqlite:'.length);
  const writer = new DatabaseSync(path);
  writer.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE state (revision INTEGER); INSERT INTO state VALUES (1)',
  );
  const reader = new DatabaseSync(path, { readOnly: true });
  context.after(() => {
    reader.close();
    writer.close();
  });
  const select = reader.prepare('SELECT revision FROM state');
  const ask = repeatUnchanged(reader, ({ slug }) => {
    const account = { id: 1, slug, name: slug, premium: true, timeZone: 'UTC', sort: 'time' } as const;
    const revision = Number(select.get()?.revision);
    const state = { account, history: '', revision, months: [] };
    return { answer: { token: undefined, account: state }, ...ALWAYS };
  });
  const question = (slug: string) => ({ tokenHash: '', slug, held: undefined });
  const revisionsOf = (...slugs: string[]) =>
    ask(slugs.map(question), 0).map((answer) => stateIn(answer).revision);
  assert.deepEqual(revisionsOf('kept'), [1]);

  const begin = reader.exec.bind(reader);
  context.mock.method(reader, 'exec', (sql: string) => {
    if (sql === 'BEGIN') writer.exec('UPDATE state SET revision = 2');
    begin(sql);
  });
  assert.deepEqual(revisionsOf('kept', 'new'), [2, 2]);
});
