/** Files at the desk, from the upload to the import: where they lie, how long, and who makes room for whom. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeUploadFolder } from '../../src/desk/folder.ts';
import { makeDeskMetrics } from '../../src/desk/metrics.ts';
import type { ReaderResult } from '../../src/desk/task.ts';
import { newFolder, pathOf, runSql } from '../support/database.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { asOrdinaryUser } from '../support/ordinary-user.ts';
import { childrenOf } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { type Desk, type DeskTestOptions, openDesk, type Visitor } from './desk.ts';

const MINUTE_MS = 60_000;

/** A desk whose files lie in a folder for temporary files of its own, and whose readers do what names of files say. */
async function setUp(t: TestContext, given: DeskTestOptions & { readonly folder?: string } = {}) {
  const { badReader = true, folder = await newFolder(t), ...options } = given;
  const desk = await inFolder(folder, () => openDesk(t, { badReader, ...options }));
  const planner = await planning(desk, 'acme');
  const uploads = async () => {
    const [own = ''] = await readdir(folder);
    return readdir(`${folder}/${own}`);
  };
  return { desk, planner, folder, uploads };
}

/** Temporary files of the work lie there. */
async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  try {
    return await work();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

async function planning(desk: Desk, slug: string, name = 'Noor'): Promise<Visitor> {
  if ((await desk.store.findAccount(slug)) === undefined)
    await desk.import({ ...acme([]), account: { ...ACME, slug } });
  return desk.visitor(await desk.key(slug, name));
}

/** Takes every file for a good plan. */
const PRETENDING: DeskTestOptions = {
  badReader: false,
  perform: async ({ kind }) =>
    ({ kind: kind === 'read' ? 'preview' : 'imported', digest: 'x' }) as ReaderResult,
};

const isKept = async (visitor: Visitor, id: string) =>
  (await visitor.send('GET', `imports/${id}`)).status === 200;

async function read(visitor: Visitor): Promise<string> {
  const id = await visitor.upload('plan.csv', 'date');
  await visitor.resultOf(id);
  return id;
}

test('a folder of uploads that vanishes is made anew, for this user alone', async (t) => {
  const { planner, folder, uploads } = await setUp(t, PRETENDING);
  const lost = await read(planner);
  for (const name of await readdir(folder)) await rm(`${folder}/${name}`, { recursive: true });
  const id = await read(planner);
  assert.deepEqual(await uploads(), [id]);
  const [own] = await readdir(folder);
  assert.equal((await stat(`${folder}/${own}`)).mode & 0o777, 0o700);
  assert.equal((await planner.send('DELETE', `imports/${lost}`)).status, 204);
});

test('once the desk has stopped, its folder is not made anew', async (t) => {
  const folder = await makeUploadFolder(await newFolder(t));
  await folder.remove();
  await assert.rejects(folder.path(), { message: 'The desk is closing.' });
});

test('a folder for temporary files that may not be listed will do', async (t) => {
  const parent = await newFolder(t);
  await chmod(parent, 0o1333);
  await asOrdinaryUser(async () => {
    const folder = await makeUploadFolder(parent);
    assert.equal(dirname(await folder.path()), parent);
    await folder.remove();
  });
  await chmod(parent, 0o700);
});

test('where there is no place for files, a sentence says so, and so does /readyz', async (t) => {
  const { desk, planner, folder } = await setUp(t, PRETENDING);
  const ready = async () => (await fetch(`${desk.url}/readyz`)).status;
  assert.equal(await ready(), 200);
  await rm(folder, { recursive: true });
  const refused = await planner.send('POST', 'imports?name=plan.csv', 'date');
  assert.equal(refused.status, 503);
  const error =
    'The desk cannot keep files (ENOENT): ask whoever runs it to look at its folder for temporary files.';
  assert.deepEqual(await refused.json(), { error });
  assert.equal(await ready(), 503);
  await mkdir(folder);
  assert.equal(await ready(), 200);
  await read(planner);
});

test('a full disk is a sentence', async (t) => {
  const folder = await mkdtemp(`${tmpdir()}/small-disk-`);
  t.after(() => {
    spawnSync('umount', ['--lazy', folder]);
    return rm(folder, { recursive: true });
  });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]);
  if (status !== 0) return t.skip('needs to mount a small disk');
  const { desk, planner, uploads } = await setUp(t, { folder, badReader: false });
  const ready = async () => (await fetch(`${desk.url}/readyz`)).status;
  assert.equal(await ready(), 200);
  await writeFile(`${folder}/full`, Buffer.alloc(200 * 1024));
  assert.equal(await ready(), 503);
  await rm(`${folder}/full`);
  assert.equal(await ready(), 200);
  const refused = await planner.send('POST', 'imports?name=plan.csv', 'x'.repeat(1_000_000));
  assert.equal(refused.status, 507);
  assert.deepEqual(await refused.json(), {
    error: 'The disk of the desk is full: ask whoever runs it to make room.',
  });
  await until('it is removed', async () => (await uploads()).length === 0);
  // The file has room, and its preview has none.
  const shifts = Array.from({ length: 500 }, (_, i) =>
    shift('2027-01-01', { id: i + 1, remarks: 'x'.repeat(200) }),
  );
  const id = await planner.upload('plan.json', JSON.stringify(acme(shifts)));
  const result = await planner.resultOf(id);
  assert.equal(result.kind, 'failed', JSON.stringify(result).slice(0, 300));
  assert.match(String(result.message), /disk .*is full/);
});

test('a file is here for an hour', async (t) => {
  const { desk, planner, uploads } = await setUp(t, PRETENDING);
  const id = await read(planner);
  desk.nowMs += 59 * MINUTE_MS;
  assert.ok(await isKept(planner, id));
  desk.nowMs += 2 * MINUTE_MS;
  assert.ok(!(await isKept(planner, id)));
  await until('it is removed', async () => (await uploads()).length === 0);
});

async function imported(visitor: Visitor): Promise<string> {
  const id = await read(visitor);
  await visitor.post(`imports/${id}/import`, { digest: 'x' });
  assert.equal((await visitor.resultOf(id)).kind, 'imported');
  return id;
}

test('an imported file is removed, and what came of it is still told, of the last eight of each account', async (t) => {
  const { desk, planner, uploads } = await setUp(t, PRETENDING);
  const id = await imported(planner);
  assert.deepEqual(await uploads(), []);
  assert.equal((await planner.send('POST', `imports/${id}/read`, { answers: [] })).status, 404);
  const other = await planning(desk, 'other');
  const theirs: string[] = [];
  for (let i = 0; i < 9; i++) theirs.push(await imported(other));
  const kept = await Promise.all(theirs.map((one) => isKept(other, one)));
  assert.deepEqual(kept, [false, ...Array(8).fill(true)]);
  assert.ok(await isKept(planner, id));
});

test('the oldest file at rest of an account makes room for its next one, and those of others stay', async (t) => {
  const { desk, planner } = await setUp(t, PRETENDING);
  const other = await planning(desk, 'other');
  const theirs = await read(other);
  const own: string[] = [];
  for (let i = 0; i < 9; i++) own.push(await read(planner));
  assert.deepEqual(await Promise.all(own.map((id) => isKept(planner, id))), [false, ...Array(8).fill(true)]);
  assert.ok(await isKept(other, theirs));
});

test('whoever keeps most makes room for others, and imported files do not count', async (t) => {
  const { desk, planner } = await setUp(t, PRETENDING);
  const done = await imported(planner);
  const kept: [Visitor, string][] = [];
  for (const [i, count] of [7, 8, 7, 5, 5].entries()) {
    const visitor = await planning(desk, `account-${i}`);
    for (let n = 0; n < count; n++) kept.push([visitor, await read(visitor)]);
  }
  const gone = async () => {
    const found = await Promise.all(kept.map(([visitor, id]) => isKept(visitor, id)));
    return found.flatMap((isHere, i) => (isHere ? [] : [i]));
  };
  assert.deepEqual(await gone(), []);
  await read(planner);
  assert.deepEqual(await gone(), [7], 'the oldest of the account with eight');
  assert.ok(await isKept(planner, done));
});

test('an undo that means nothing costs no reader, and one that is asked for twice is one', async (t) => {
  const { desk, planner } = await setUp(t);
  await desk.import(acme([shift('2026-12-01')]));
  const { undo } = await planner.get('history');
  // All readers are busy, and the account has no turn left.
  for (let i = 0; i < 4; i++) {
    await (await planning(desk, `busy-${i}`)).upload('waits.csv', 'date');
  }
  for (const entry of [undo.entry - 1, undo.entry + 1, 0])
    assert.equal((await planner.send('POST', 'undo', { entry })).status, 409);
  const first = await planner.post('undo', { entry: undo.entry });
  const second = await planner.post('undo', { entry: undo.entry });
  assert.deepEqual([first.id, first.state, first.ahead], [second.id, 'importing', 3]);
  const stranger = await planning(desk, 'other');
  assert.ok(!(await isKept(stranger, first.id)));
});

test('the history reads no people, so what another program does to them is noticed when the import is taken back', async (t) => {
  const { desk, planner } = await setUp(t, { badReader: false });
  await desk.import(acme([], { people: [{ id: 1, name: 'Ada' }] }));
  runSql(desk.databaseUrl, "UPDATE people SET name = 'Bo'");
  const { undo } = await planner.get('history');
  const { id } = await planner.post('undo', { entry: undo.entry });
  assert.match(String((await planner.resultOf(id)).message), /was changed since/);
});

test('what waits for its turn is not done once the key has ended', async (t) => {
  const { desk, planner } = await setUp(t);
  const id = await read(planner);
  const busy = await planning(desk, 'busy');
  const waiting = [await busy.upload('waits.csv', 'date'), await busy.upload('waits.csv', 'date')];
  await planner.post(`imports/${id}/import`, { digest: 'x' });
  const account = await desk.store.findAccount('acme');
  await desk.store.revokeDeskKeys(account?.id ?? 0, { name: 'Noor' }, desk.nowMs);
  for (const one of waiting) await busy.send('DELETE', `imports/${one}`);
  const next = await planning(desk, 'acme', 'Ada');
  const { kind, message } = await next.resultOf(id);
  assert.deepEqual([kind, message], ['failed', 'Sign in: open the link that you were given.']);
});

test('what waits for its turn while the database is away is told so, and nobody has to look at the log', async (t) => {
  const metrics = makeDeskMetrics();
  const { desk, planner, folder } = await setUp(t, { metrics });
  const busy = await planning(desk, 'busy');
  const running = [
    await busy.upload('takes its time.csv', 'date'),
    await busy.upload('takes its time.csv', 'date'),
  ];
  for (const id of running)
    await until('it is read', async () => (await busy.get(`imports/${id}`)).state === 'reading');
  const id = await planner.upload('plan.csv', 'date');
  const path = pathOf(desk.databaseUrl);
  await rename(path, `${path}.away`);
  const [own = ''] = await readdir(folder);
  for (const one of running) await writeFile(`${folder}/${own}/${one}/go`, '');
  const refused = 'shiftfeed_desk_tasks_total{kind="read",result="none"} 1';
  await until('its turn has come', async () => (await metrics.registry.metrics()).includes(refused));
  await rename(`${path}.away`, path);
  const { kind, message } = await planner.resultOf(id);
  assert.deepEqual(
    [kind, message],
    ['failed', `There is no database at ${path}: "import" and "serve" create one.`],
  );
});

test('discarding a file while it is read, or stopping then, is no problem that anybody logs', async (t) => {
  const { desk, planner, uploads } = await setUp(t);
  const id = await planner.upload('waits.csv', 'date');
  await until('it is read', async () => (await planner.get(`imports/${id}`)).state === 'reading');
  assert.equal((await planner.send('DELETE', `imports/${id}`)).status, 204);
  assert.deepEqual(await uploads(), []);
  const other = await planner.upload('waits.csv', 'date');
  await until('it is read', async () => (await planner.get(`imports/${other}`)).state === 'reading');
  await desk.stop();
  assert.deepEqual(
    desk.log.filter((line) => JSON.parse(line).level > 30),
    [],
  );
});

test('a file that comes while the desk stops is refused, and leaves nothing behind', async (t) => {
  const { desk, planner, folder, uploads } = await setUp(t);
  const id = await planner.upload('imports slowly.csv', 'date');
  await planner.resultOf(id);
  const others = childrenOf(process.pid);
  await planner.post(`imports/${id}/import`, { digest: 'x' });
  await until('its reader runs', () => childrenOf(process.pid).some((pid) => !others.includes(pid)));
  const [own = ''] = await readdir(folder);
  // It has said only how its request begins.
  const socket = connect(Number(new URL(desk.url).port), '127.0.0.1');
  socket.write(`POST /api/imports?name=plan.csv HTTP/1.1\r\nHost: x\r\nCookie: ${planner.cookie}\r\n`);
  // What arrived before it has been seen by then.
  await planner.upload('plan.csv', 'date');
  const stopped = desk.stop();
  socket.write(`Origin: ${desk.url}\r\nContent-Length: 4\r\n\r\ndate`);
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 503 .*The desk is closing\./s);
  assert.equal((await uploads()).length, 2);
  await writeFile(`${folder}/${own}/${id}/go`, '');
  await stopped;
  assert.deepEqual(await readdir(folder), []);
});

test('a folder in which somebody is still at work is removed in a moment', async (t) => {
  const { planner, folder } = await setUp(t);
  const id = await read(planner);
  const [own = ''] = await readdir(folder);
  const busy = `${folder}/${own}/${id}/busy`;
  await mkdir(busy);
  t.after(() => spawnSync('umount', ['--lazy', busy]));
  // Nobody can remove it as long as it is a disk.
  if (spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', busy]).status !== 0) return t.skip('needs to mount a disk');
  const discarded = planner.send('DELETE', `imports/${id}`);
  await until('the file is gone', () => !existsSync(`${folder}/${own}/${id}/upload`));
  spawnSync('umount', [busy]);
  assert.equal((await discarded).status, 204);
  assert.deepEqual(await readdir(`${folder}/${own}`), []);
});

test('a desk that stops lets an import finish, and then removes its files', async (t) => {
  const { desk, planner, folder } = await setUp(t, { badReader: false, hasProcesses: true });
  const id = await planner.upload('plan.json', JSON.stringify(acme([shift('2026-12-01')])));
  const { digest } = await planner.resultOf(id);
  const others = childrenOf(process.pid);
  await planner.post(`imports/${id}/import`, { digest });
  await until('its reader runs', () => childrenOf(process.pid).some((pid) => !others.includes(pid)));
  await desk.stop();
  const account = await desk.store.findAccount('acme');
  assert.equal((await desk.store.history(account?.id ?? 0))[0]?.who, 'Noor');
  assert.deepEqual(await readdir(folder), []);
});
