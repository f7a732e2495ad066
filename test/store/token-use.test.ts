import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { keepTokenUses } from '../../src/feed/access/token.ts';
import { StoreFailure } from '../../src/store/failure.ts';
import { openServerStore } from '../../src/store/open.ts';
import { importer } from '../import/importer.ts';
import { DATABASES, type DatabaseKind, newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';

const HASH = 'a'.repeat(64);
const HOUR_MS = 3_600_000;

async function withToken(context: TestContext, kind: DatabaseKind = 'sqlite') {
  const { url, run, store, account, contents } = await importer(context, kind);
  await run(acme([shift('2027-01-01')]));
  const { id: accountId } = await account();
  await store.addToken({ accountId, hash: HASH, label: '', createdAtMs: 0, expiresAtMs: null });
  const uses = await openServerStore(url);
  context.after(() => uses.close());
  const lastUse = async () => (await store.tokens(accountId))[0]?.lastUsedAtMs;
  return { url, uses, lastUse, contents };
}

for (const kind of DATABASES) {
  test(`the latest use of a token is kept on ${kind}, and moves no revision`, async (context) => {
    const { uses, lastUse, contents } = await withToken(context, kind);
    const { revision } = await contents();
    assert.equal(await lastUse(), null);
    for (const [atMs, expected] of [
      [5, 5],
      [4, 5],
      [6, 6],
    ] as const) {
      await uses.writeUses(
        new Map([
          ['b'.repeat(64), 9],
          [HASH, atMs],
        ]),
      );
      assert.equal(await lastUse(), expected);
    }
    assert.equal((await contents()).revision, revision);
  });
}

describe('Uses of tokens', () => {
  test('are written once an hour, by the hour', async (context) => {
    const { url, uses, lastUse } = await withToken(context);
    let nowMs = 10.5 * HOUR_MS;
    const kept = keepTokenUses(uses, () => nowMs);
    const reader = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
    context.after(() => reader.close());
    const version = () => reader.prepare('PRAGMA data_version').get()?.data_version;

    kept.note(HASH);
    assert.equal(await lastUse(), null);
    assert.equal(await kept.write(), undefined);
    assert.equal(await lastUse(), 10 * HOUR_MS);
    const before = version();
    nowMs = 10.9 * HOUR_MS;
    kept.note(HASH);
    await kept.write();
    // Another process that noted the same hour changes nothing either.
    await uses.writeUses(new Map([[HASH, 10 * HOUR_MS]]));
    assert.equal(version(), before);
    nowMs = 11.1 * HOUR_MS;
    kept.note(HASH);
    await kept.write();
    assert.equal(await lastUse(), 11 * HOUR_MS);
    assert.notEqual(version(), before);
  });

  test('wait for nobody who writes, and are written the next time', async (context) => {
    const { url, uses, lastUse } = await withToken(context);
    const kept = keepTokenUses(uses, () => HOUR_MS);
    const writer = new DatabaseSync(url.slice('sqlite:'.length));
    writer.exec('BEGIN IMMEDIATE');
    kept.note(HASH);
    assert.match(String(await kept.write()), /is being written by another process/);
    writer.exec('ROLLBACK');
    writer.close();
    assert.equal(await kept.write(), undefined);
    assert.equal(await lastUse(), HOUR_MS);
  });

  test('that are noted while a write fails are not replaced by older ones', async (context) => {
    const { url, uses, lastUse } = await withToken(context);
    let nowMs = HOUR_MS;
    const kept = keepTokenUses(uses, () => nowMs);
    const writer = new DatabaseSync(url.slice('sqlite:'.length));
    writer.exec('BEGIN IMMEDIATE');
    kept.note(HASH);
    const writing = kept.write();
    nowMs = 2 * HOUR_MS;
    kept.note(HASH);
    assert.match(String(await writing), /is being written by another process/);
    writer.exec('ROLLBACK');
    writer.close();
    assert.equal(await kept.write(), undefined);
    assert.equal(await lastUse(), 2 * HOUR_MS);
  });

  test('outlast a login that is refused for a while', async (context) => {
    const { uses, lastUse } = await withToken(context);
    let isRefused = true;
    const refusing = {
      async writeUses(all: ReadonlyMap<string, number>) {
        if (isRefused) throw new StoreFailure('locked-out', 'wrong password');
        await uses.writeUses(all);
      },
    };
    const kept = keepTokenUses(refusing, () => HOUR_MS);
    kept.note(HASH);
    assert.match(String(await kept.write()), /wrong password/);
    isRefused = false;
    assert.equal(await kept.write(), undefined);
    assert.equal(await lastUse(), HOUR_MS);
  });

  test('make no file where there is none, and are not tried again for an hour', async (context) => {
    const path = join(await newFolder(context), 'none.db');
    const uses = await openServerStore(`sqlite:${path}`);
    let nowMs = 0;
    const kept = keepTokenUses(uses, () => nowMs);
    kept.note(HASH);
    assert.match(String(await kept.write()), /cannot be opened/);
    assert.ok(!existsSync(path));
    assert.equal(await kept.write(), undefined);
    nowMs = HOUR_MS;
    assert.match(String(await kept.write()), /cannot be opened/);
  });
});
