import assert from 'node:assert/strict';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { hashToken, makeToken } from '../../src/feed/access/token.ts';
import type { ListingBody } from '../../src/http/listing/response.ts';
import { importDocument } from '../../src/import/import.ts';
import { openReader, openStore } from '../../src/store/open.ts';
import { shiftfeed, startServer } from '../support/cli.ts';
import { newFolder, pathOf, runSql } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { type Service, startService } from '../support/service.ts';
import { toldState } from '../support/told-state.ts';
import { until } from '../support/until.ts';

const NOW = '2026-11-15T12:00:00Z';
const COMPANIONS = ['-wal', '-shm'];
const TOKEN = makeToken();

test('a backup that is restored over a database in use is listed from the next request on', async (context) => {
  const service = await startService(context, { hasThread: true, now: NOW });
  await service.import(acme([shift('2026-12-01', { id: 1, remarks: 'before' })]));
  const token = await service.token('acme');
  const copy = join(await newFolder(context), 'copy.db');
  const live = new DatabaseSync(pathOf(service.databaseUrl));
  await backup(live, copy);
  live.close();

  for (const remarks of ['after', 'later', 'last']) {
    await service.import(acme([shift('2026-12-01', { id: 1, remarks })]));
    assert.equal((await service.list('acme', '', token)).shifts[0]?.remarks, remarks);
  }
  const restored = new DatabaseSync(copy);
  await backup(restored, pathOf(service.databaseUrl));
  restored.close();

  assert.equal((await service.list('acme', '', token)).shifts[0]?.remarks, 'before');
  const loaded = service.counts().monthsLoaded;
  await service.list('acme', '', token);
  assert.equal(service.counts().monthsLoaded, loaded, 'and is then in memory');
});

describe('A file that takes the place of the database in use is listed without a restart', () => {
  /** What becomes of the other file after it was written, while the service goes on to `served`. */
  const histories: [string, (other: string, served: number) => Promise<void> | void][] = [
    ['lower', () => undefined],
    ['equal', (other, served) => runSql(`sqlite:${other}`, `UPDATE accounts SET revision = ${served}`)],
    ['higher', (other) => write(other, [shift('2027-02-01', { id: 3, remarks: 'other' })])],
  ];
  for (const [which, change] of histories) {
    test(`when its revision is ${which}`, async (context) => {
      const other = await newFile(context, [shift('2026-12-01', { id: 1, remarks: 'other' })]);
      const service = await serve(context, [
        shift('2026-12-01', { id: 1, remarks: 'served' }),
        shift('2027-01-01', { id: 2, remarks: 'served' }),
      ]);
      assert.deepEqual(await remarksOf(service), ['served', 'served']);
      const served = revisionIn(pathOf(service.databaseUrl));
      await change(other, served);
      assert.equal(Math.sign(revisionIn(other) - served), { lower: -1, equal: 0, higher: 1 }[which]);
      await replaceBy(service, other);

      const expected = which === 'higher' ? ['other', 'other'] : ['other'];
      await untilListed(service, 'other');
      assert.deepEqual(await remarksOf(service), expected);
      assert.deepEqual(await remarksOf(service, '?months=12,1,2'), expected, 'also by another query');
      const loaded = service.counts().monthsLoaded;
      assert.deepEqual(await remarksOf(service), expected);
      assert.equal(service.counts().monthsLoaded, loaded, 'and is then in memory');
      await write(pathOf(service.databaseUrl), [shift('2026-12-01', { id: 1, remarks: 'changed' })]);
      assert.equal((await remarksOf(service))[0], 'changed', 'and changes of it are seen at once');
    });
  }

  test('when the accounts in it have other ids', async (context) => {
    const other = join(await newFolder(context), 'other.db');
    await write(other, [], 'globex');
    await write(other, [shift('2026-12-01', { id: 1, remarks: 'other' })]);
    await addToken(other);
    const service = await serve(context, [shift('2026-12-01', { id: 1, remarks: 'served' })]);
    assert.deepEqual(await remarksOf(service), ['served']);
    await replaceBy(service, other);
    await untilListed(service, 'other');
  });

  test('when it has the number of a file that was there before', async (context) => {
    const path = await newFile(context, [shift('2026-12-01', { id: 1, remarks: 'first' })]);
    const server = await startServer(context, [], { databaseUrl: `sqlite:${path}` });
    const list = async (slug: string) => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const response = await fetch(`${server.url}/${slug}/api/v1/shifts?years=2026`, { headers });
      const { shifts = [] } = (await response.json()) as Partial<ListingBody>;
      return shifts.map(({ remarks }) => remarks);
    };
    assert.deepEqual(await list('acme'), ['first']);
    const first = revisionIn(path);
    // A name that keeps the file, as if its number were given to another one later.
    const kept = join(await newFolder(context), 'kept.db');
    await link(path, kept);
    const second = await newFile(context, [shift('2026-12-01', { id: 1, remarks: 'second' })], 'globex');
    await replaceFile(path, second);
    await until('the second file is listed', async () => (await list('globex'))[0] === 'second');

    runSql(`sqlite:${kept}`, "UPDATE shifts SET remarks = 'third'");
    runSql(`sqlite:${kept}`, `UPDATE accounts SET revision = ${first}`);
    await replaceFile(path, kept);
    await until('the third file is asked', async () => (await list('acme')).length > 0);
    assert.deepEqual(await list('acme'), ['third']);
  });

  test('after it was deleted and "shiftfeed import" made it anew', async (context) => {
    const service = await serve(context, [shift('2026-12-01', { id: 1, remarks: 'served' })]);
    assert.deepEqual(await remarksOf(service), ['served']);
    // The service still has it open, so SQLite's other files stay behind.
    await rm(pathOf(service.databaseUrl));
    await until('it is noticed', async () => (await statusOf(service)) === 503);
    const { databaseUrl } = service;
    const file = join(await newFolder(context), 'plan.json');
    await writeFile(file, JSON.stringify(acme([shift('2026-12-01', { id: 1, remarks: 'anew' })])));
    assert.deepEqual(await shiftfeed(['import', file], { databaseUrl }).then(outcome), {
      code: 0,
      stderr: '',
    });
    const created = await shiftfeed(['token', 'create', 'acme'], { databaseUrl });
    assert.deepEqual(outcome(created), { code: 0, stderr: '' });
    assert.deepEqual(await remarksOf(service, '', created.stdout.trim()), ['anew']);
    assert.equal(await statusOf(service), 401, 'for a token that is no longer known');
  });

  test('once it is one: until then the log tells what stands there', async (context) => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line).msg) });
    const service = await serve(context, [shift('2026-12-01', { id: 1, remarks: 'served' })], { logger });
    assert.deepEqual(await remarksOf(service), ['served']);
    const path = pathOf(service.databaseUrl);
    const folder = await newFolder(context);
    const foreign = join(folder, 'foreign.db');
    runSql(`sqlite:${foreign}`, 'CREATE TABLE shifts (id INTEGER)');
    const empty = join(folder, 'empty.db');
    await writeFile(empty, '');
    const text = join(folder, 'text.db');
    await writeFile(text, 'This is no database at all. '.repeat(1_000));
    const wrong: [string, string][] = [
      [text, `The file ${path} is not a SQLite database.`],
      [foreign, `The database ${path} has tables of another program: give Shiftfeed a file of its own.`],
      [empty, `The database ${path} has no Shiftfeed tables yet: "import" and "serve" make them.`],
    ];
    for (const [file, sentence] of wrong) {
      await replaceBy(service, file);
      await until(sentence, async () => (await statusOf(service)) === 503 && lines.includes(sentence));
      assert.equal((await service.fetch('/readyz')).status, 503);
      assert.equal((await service.fetch('/healthz')).status, 200);
    }
    await replaceBy(service, await newFile(context, [shift('2026-12-01', { id: 1, remarks: 'good' })]));
    assert.deepEqual(await remarksOf(service), ['good']);
    assert.equal((await service.fetch('/readyz')).status, 200);
  });

  test('once the files that SQLite kept beside the old one are gone', async (context) => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line).msg) });
    const service = await serve(context, [shift('2026-12-01', { id: 1, remarks: 'served' })], { logger });
    assert.deepEqual(await remarksOf(service), ['served']);
    const path = pathOf(service.databaseUrl);
    await rename(await newFile(context, [shift('2026-12-01', { id: 1, remarks: 'other' })]), path);
    await until('it is noticed', async () => (await statusOf(service)) === 503);
    assert.deepEqual(
      [...new Set(lines)],
      [
        `Another file was put in place of the database ${path}, but ${path}-wal and ${path}-shm are still those of the old one: delete them.`,
      ],
    );
    for (const suffix of COMPANIONS) await rm(path + suffix);
    assert.deepEqual(await remarksOf(service), ['other']);
  });

  test('as often as that happens, without leaving old files open', async (context) => {
    const service = await serve(context, [shift('2026-12-01', { id: 1, remarks: '0' })]);
    assert.deepEqual(await remarksOf(service), ['0']);
    const counts: number[] = [];
    for (let i = 1; i <= 6; i++) {
      await replaceBy(service, await newFile(context, [shift('2026-12-01', { id: 1, remarks: String(i) })]));
      await untilListed(service, String(i));
      counts.push(openFilesOf(pathOf(service.databaseUrl)));
    }
    // Whoever wrote to the first file still has that one open, all along.
    assert.deepEqual([...new Set(counts)], [counts[0]], String(counts));
  });
});

test('a database file that comes back after it was away is listed as before', async (context) => {
  const service = await serve(context, [shift('2026-12-01', { id: 1, remarks: 'served' })]);
  assert.deepEqual(await remarksOf(service), ['served']);
  const path = pathOf(service.databaseUrl);
  await rename(path, `${path}.away`);
  await until('it is noticed', async () => (await statusOf(service)) === 503);
  await rename(`${path}.away`, path);
  assert.deepEqual(await remarksOf(service), ['served']);
});

test('months are never read from a file that was replaced, nor for an answer that came from it', async (context) => {
  const path = await newFile(context, [shift('2026-12-01', { id: 1 })]);
  const reader = await openReader(`sqlite:${path}`);
  context.after(() => reader.close());
  const { history } = await toldState(reader, hashToken(TOKEN));
  const monthsOf = async (wanted?: string) =>
    reader.read('acme', async ({ state }) => state.months.length, wanted);
  assert.equal(await monthsOf(history), 1);
  const other = await newFile(context, [shift('2026-12-01', { id: 1 }), shift('2027-01-01', { id: 2 })]);
  await replaceFile(path, other);
  assert.equal(await monthsOf(), 2, 'whenever the file was looked at last');
  await assert.rejects(monthsOf(history), /^StoreFailure: The database was replaced by another file/);
});

/** A service whose account acme has these shifts and knows the token. */
async function serve(context: TestContext, shifts: object[], app: object = {}): Promise<Service> {
  const service = await startService(context, { hasThread: true, now: NOW, app });
  await write(pathOf(service.databaseUrl), shifts);
  await addToken(pathOf(service.databaseUrl));
  return service;
}

/** A database of its own whose account has these shifts and knows the token. */
async function newFile(context: TestContext, shifts: object[], slug = 'acme'): Promise<string> {
  const path = join(await newFolder(context), 'other.db');
  await write(path, shifts, slug);
  await addToken(path, slug);
  return path;
}

/** Writes as another process does: nothing stays open. */
async function write(path: string, shifts: object[], slug = 'acme'): Promise<void> {
  const store = await openStore(`sqlite:${path}`, { missing: 'create' });
  const document = acme(shifts, { account: { slug, premium: true } });
  await importDocument(store, document, { replace: false, dryRun: false });
  await store.close();
}

async function addToken(path: string, slug = 'acme'): Promise<void> {
  const store = await openStore(`sqlite:${path}`, { missing: 'fail' });
  const account = await store.findAccount(slug);
  assert.ok(account);
  const hash = hashToken(TOKEN);
  await store.addToken({ accountId: account.id, hash, label: '', createdAtMs: 0, expiresAtMs: null });
  await store.close();
}

function revisionIn(path: string): number {
  const database = new DatabaseSync(path);
  const row = database.prepare("SELECT revision FROM accounts WHERE slug = 'acme'").get();
  database.close();
  return Number(row?.revision);
}

function replaceBy(service: Service, file: string): Promise<void> {
  return replaceFile(pathOf(service.databaseUrl), file);
}

/** As the manual says: nothing of the old one stays. */
async function replaceFile(path: string, file: string): Promise<void> {
  for (const suffix of COMPANIONS) await rm(path + suffix, { force: true });
  await rename(file, path);
}

async function statusOf(service: Service): Promise<number> {
  return (await service.get('acme', '', TOKEN)).status;
}

async function remarksOf(service: Service, query = '', token = TOKEN): Promise<string[]> {
  return (await service.list('acme', query, token)).shifts.map(({ remarks }) => remarks);
}

/** The moment in which a file is replaced may be answered with 503. */
function untilListed(service: Service, remarks: string): Promise<void> {
  return until(`${remarks} is listed`, async () => {
    const response = await service.get('acme', '', TOKEN);
    return response.status === 200 && ((await response.json()) as ListingBody).shifts[0]?.remarks === remarks;
  });
}

function outcome({ code, stderr }: { code: number | null; stderr: string }) {
  return { code, stderr };
}

/** How many descriptors this process has of files at a path, deleted ones included. Only Linux tells. */
function openFilesOf(path: string): number {
  const folder = '/proc/self/fd';
  if (!existsSync(folder)) return 0;
  const targets = readdirSync(folder).map((descriptor) => {
    try {
      return readlinkSync(join(folder, descriptor));
    } catch {
      // It was closed since, such as the one that listed the folder.
      return '';
    }
  });
  return targets.filter((target) => target.includes(basename(path, '.db'))).length;
}
