import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { ownerRoutes } from '../../src/desk/owner-routes.ts';
import { zip } from '../import/sheet/make-workbook.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { often } from '../support/strength.ts';
import { until } from '../support/until.ts';
import { type Desk, openDesk, type Visitor } from './desk.ts';

const MEGABYTE = 1024 * 1024;

describe('A desk whose visitors behave badly', () => {
  let desk: Desk;
  let planner: Visitor;
  let stranger: Visitor;
  const ends: (() => unknown)[] = [];

  before(async () => {
    desk = await openDesk({ after: (end: () => unknown) => void ends.push(end) } as never);
    await desk.import(acme([shift('2026-11-18')]));
    await desk.import({ ...acme([]), account: { ...ACME, slug: 'other' } });
    planner = await desk.visitor(await desk.key('acme', 'Noor'));
    stranger = await desk.visitor(await desk.key('other', 'Stranger', 'owner'));
  });
  after(async () => {
    for (const end of ends) await end();
  });

  /** Begins a request and leaves it there. */
  function send(
    { cookie }: Visitor,
    target: string,
    length: number | undefined,
    sent: string,
    origin = desk.url,
  ): Socket {
    const size = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `${target} HTTP/1.1\r\nHost: x\r\nOrigin: ${origin}\r\nCookie: ${cookie}\r\n${size}\r\n\r\n${sent}`,
    );
    return socket;
  }

  const begin = (length: number, sent = '') => send(planner, 'POST /api/imports?name=plan.csv', length, sent);

  const firstOf = async (socket: Socket) => String((await once(socket, 'data'))[0]);

  const ownFolders = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith(`shiftfeed-desk-${process.pid}-`));

  const folderOf = async () => {
    const mine = await ownFolders();
    assert.ok(mine.length > 0);
    return (await Promise.all(mine.map((name) => readdir(`${tmpdir()}/${name}`)))).flat();
  };

  test('an upload that stops halfway leaves nothing behind', async () => {
    const files = (await folderOf()).length;
    const socket = begin(1_000, 'date,');
    await until('it has begun', async () => (await folderOf()).length > files);
    socket.destroy();
    await until('it is gone', async () => (await folderOf()).length === files);
  });

  test('uploads of an account that never end are few, it is told to try again, and others notice nothing', async () => {
    const files = (await folderOf()).length;
    const sockets = Array.from({ length: 4 }, () => begin(1_000, 'date,'));
    await until('all have begun', async () => (await folderOf()).length >= files + 4);
    const more = await Promise.all(
      Array.from({ length: 92 }, () => planner.send('POST', 'imports?name=plan.csv', 'date\n')),
    );
    assert.deepEqual([...new Set(more.map(({ status }) => status))], [503]);
    assert.equal((await planner.send('GET', 'history')).status, 200);
    assert.equal((await stranger.send('POST', 'imports?name=plan.csv', 'date\n')).status, 201);
    for (const socket of sockets) socket.destroy();
    await until('there is room again', async () => {
      const response = await planner.send('POST', 'imports?name=plan.csv', 'date\n');
      return response.status === 201;
    });
  });

  test('uploads that never end give way to those of others, of whoever has most', async () => {
    await desk.import({ ...acme([]), account: { ...ACME, slug: 'third' } });
    const third = await desk.visitor(await desk.key('third', 'Third'));
    const files = (await folderOf()).length;
    const sockets = [planner, stranger].flatMap((visitor) =>
      Array.from({ length: 4 }, () => send(visitor, 'POST /api/imports?name=plan.csv', 1_000, 'date,')),
    );
    const count = async () => (await folderOf()).length;
    await until('all have begun', async () => (await count()) >= files + 8);
    const id = await third.upload('plan.csv', 'date');
    assert.equal(sockets.filter(({ destroyed }) => destroyed).length <= 1, true);
    assert.ok(await third.resultOf(id));
    for (const socket of sockets) socket.destroy();
    await until('they are gone', async () => (await count()) <= files + 1);
  });

  test('a file that is too large is refused before it is read, whether it says so or not', async () => {
    const socket = begin(101 * MEGABYTE);
    assert.match(await firstOf(socket), /^HTTP\/1\.1 413 /);
    socket.destroy();
    const files = (await folderOf()).length;
    const endless = send(planner, 'POST /api/imports?name=plan.csv', undefined, '');
    const answer = firstOf(endless);
    const piece = Buffer.alloc(MEGABYTE);
    for (let sent = 0; sent <= 100; sent++) {
      endless.write(`${MEGABYTE.toString(16)}\r\n`);
      endless.write(piece);
      if (!endless.write('\r\n')) await Promise.race([answer, once(endless, 'drain')]);
    }
    // It never says that this was all.
    assert.match(await answer, /^HTTP\/1\.1 413 .*\{"error":"The file is larger than 100 MB: /s);
    endless.destroy();
    await until('what has arrived is gone', async () => (await folderOf()).length === files);
  });

  test('a workbook that explodes costs a sentence', async () => {
    const rows = `<row><c t="inlineStr"><is><t>${'x'.repeat(often(1, 40) * MEGABYTE)}</t></is></c></row>`;
    const sheet = `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`;
    const bomb = zip([['xl/worksheets/sheet1.xml', sheet]]);
    const result = await planner.resultOf(await planner.upload('bomb.xlsx', new Uint8Array(bomb)));
    assert.notEqual(result.kind, 'preview');
    assert.doesNotMatch(JSON.stringify(result), /\bat [\w.]+ \(|node:internal|\/src\//);
  });

  test('answers that no page gives are refused with a sentence', async () => {
    const id = await planner.upload('plan.csv', 'date,start_time\n');
    await planner.resultOf(id);
    const answers = [
      ['premium', 'true'],
      ['account', 'other'],
      ['dry-run', 'false'],
      ['__proto__', 'x'],
      ['year', 'NaN'],
    ] as const;
    // Each costs a process.
    for (const [option, value] of answers.slice(0, often(1, answers.length))) {
      await planner.post(`imports/${id}/read`, { answers: [[option, value]] });
      const result = await planner.resultOf(id);
      assert.notEqual(result.kind, 'preview', option);
    }
    for (const answers of [undefined, 'x', [['year']], [[1, 2]], { year: '2027' }])
      assert.equal((await planner.send('POST', `imports/${id}/read`, { answers })).status, 400);
  });

  test('a key that is revoked while a body arrives does nothing with it', async () => {
    const gone = await desk.visitor(await desk.key('other', 'Gone', 'owner'));
    const socket = send(gone, 'POST /api/tokens', 14, '{"label":');
    const account = await desk.store.findAccount('other');
    // Its head has arrived once the key was used.
    await until('it is known', async () =>
      (await desk.store.deskKeys(account?.id ?? 0)).some((key) => key.label === 'Gone' && key.lastUsedAtMs),
    );
    await gone.get('session');
    await desk.store.revokeDeskKeys(account?.id ?? 0, { name: 'Gone' }, desk.nowMs);
    socket.write('"me"}');
    assert.match(await firstOf(socket), /^HTTP\/1\.1 401 /);
    assert.deepEqual(await desk.store.tokens(account?.id), []);
  });

  test('accounts that swap their names while a body arrives keep their settings', async (context) => {
    const own = await openDesk(context);
    for (const slug of ['mine', 'theirs']) await own.import({ ...acme([]), account: { ...ACME, slug } });
    const [mine, theirs] = await Promise.all(['mine', 'theirs'].map((slug) => own.store.findAccount(slug)));
    assert.ok(mine && theirs);
    const owner = await own.visitor(await own.key('mine', 'Ada', 'owner'));
    const swap = async ([first, second]: readonly [string, string]) => {
      await own.store.renameAccount(mine.id, 'between');
      await own.store.renameAccount(theirs.id, second);
      await own.store.renameAccount(mine.id, first);
    };
    const namesById = async () =>
      Object.fromEntries((await own.store.accounts()).map(({ id, name }) => [id, name]));

    const used = async () => (await own.store.deskKeys(mine.id))[0]?.lastUsedAtMs;
    const usedBefore = await used();
    own.nowMs += 3_600_000;
    const socket = send(owner, 'PATCH /api/settings', 15, '{"name":', own.url);
    await until('its head has arrived', async () => (await used()) !== usedBefore);
    await owner.get('session');
    await swap(['theirs', 'mine']);
    socket.write('"Ours"}');
    assert.match(await firstOf(socket), /^HTTP\/1\.1 204 /);
    assert.deepEqual(await namesById(), { [mine.id]: 'Ours', [theirs.id]: ACME.name });

    // And at the last moment, when everything was checked.
    const store = async () => {
      await swap(['mine', 'theirs']);
      return own.store;
    };
    const route = ownerRoutes({ database: { store } } as never)['PATCH settings'];
    const session = { account: { ...mine, slug: 'theirs' } };
    await assert.rejects(async () => route?.({ session, body: { name: 'Both' } } as never), {
      status: 409,
    });
    assert.deepEqual(await namesById(), { [mine.id]: 'Ours', [theirs.id]: ACME.name });
  });

  test('values of another kind than expected are refused with a sentence', async () => {
    const id = await planner.upload('plan.csv', 'date,start_time\n');
    await planner.resultOf(id);
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    for (const value of ['{"toString":1,"valueOf":1}', deep, '[1]', 'true']) {
      for (const [path, name] of [
        ['undo', 'entry'],
        [`imports/${id}/import`, 'digest'],
      ] as const) {
        const response = await planner.send('POST', path, `{"${name}":${value}}`);
        assert.equal(response.status, 400, await response.text());
      }
    }
  });

  test('what is refused is not read to its end, and a stranger cannot send much', async () => {
    for (const target of [
      'POST /api/nothing',
      'POST /api/imports/x',
      'PATCH /api/history',
      'DELETE /api/x',
    ]) {
      const socket = send(stranger, target, 1_000_000_000, 'x');
      assert.match(await firstOf(socket), /^HTTP\/1\.1 40[45] .*\r\nconnection: close\r\n/is, target);
      await until('it is closed', () => socket.destroyed || socket.readableEnded);
      socket.destroy();
    }
    const long = await planner.send('POST', 'session', { key: 'x'.repeat(2_000) });
    assert.equal(long.status, 413);
  });

  test('a preview whose file was taken away meanwhile is not here any more', async () => {
    const id = await planner.upload('plan.json', JSON.stringify(acme([shift('2026-11-19')])));
    assert.equal((await planner.resultOf(id)).kind, 'preview');
    for (const name of await ownFolders())
      await rm(`${tmpdir()}/${name}/${id}`, { recursive: true, force: true });
    for (const path of ['changes', 'shifts?from=2026-11-01&to=2026-11-30'])
      assert.equal((await planner.send('GET', `imports/${id}/${path}`)).status, 404);
  });

  test('a plan of more days than a page can show is previewed in part, and says so', async () => {
    const days = Array.from({ length: 5_010 }, (_, i) =>
      new Date(Date.parse('2027-01-01') + i * 86_400_000).toISOString().slice(0, 10),
    );
    const plan = acme(days.map((day, i) => shift(day, { id: i + 10 })));
    const id = await planner.upload('plan.json', JSON.stringify(plan));
    const preview = await planner.resultOf(id);
    assert.equal((preview.days as unknown[]).length, 5_000);
    assert.deepEqual(preview.warnings, ['The changes of the first 5000 days are listed here.']);
    const { changes } = await planner.get(`imports/${id}/changes?offset=5005`);
    assert.equal(changes.length, 5);
    const { shifts, more } = await planner.get(`imports/${id}/shifts?from=2026-01-01&to=2099-12-31`);
    assert.deepEqual([shifts.length, more], [2_000, true]);
  });

  test('only folders of this user whose desk is gone are removed', {
    skip: process.getuid?.() !== 0 && 'needs root',
  }, async (context) => {
    const { pid } = spawnSync('true');
    const other = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1000)']);
    context.after(() => other.kill('SIGKILL'));
    const [own, foreign, running] = [`${pid}-own`, `${pid}-foreign`, `${other.pid}-running`].map(
      (name) => `${tmpdir()}/shiftfeed-desk-${name}`,
    ) as [string, string, string];
    for (const folder of [own, foreign, running]) await mkdir(folder);
    const before = await folderOf();
    context.after(() => Promise.all([foreign, running].map((folder) => rm(folder, { recursive: true }))));
    await chown(foreign, 65_534, 65_534);
    await openDesk(context);
    assert.ok(!existsSync(own));
    assert.ok(existsSync(foreign));
    assert.ok(existsSync(running), 'another desk has it');
    assert.ok((await folderOf()).length >= before.length);
  });

  test('a key that is revoked during an upload takes the upload with it', async () => {
    const gone = await desk.visitor(await desk.key('acme', 'Gone'));
    const files = (await folderOf()).length;
    const socket = send(gone, 'POST /api/imports?name=plan.csv', 10, 'date,');
    await until('it has begun', async () => (await folderOf()).length > files);
    const account = await desk.store.findAccount('acme');
    await desk.store.revokeDeskKeys(account?.id ?? 0, { name: 'Gone' }, desk.nowMs);
    socket.write('start');
    assert.match(await firstOf(socket), /^HTTP\/1\.1 401 /);
    socket.destroy();
    await until('it is gone', async () => (await folderOf()).length === files);
  });

  test('neither keys nor names nor files are logged', () => {
    const log = desk.log.join('\n');
    assert.ok(log.includes('"route":"imports"'));
    assert.doesNotMatch(log, /shiftfeed_desk|Noor|plan\.csv|bomb/);
  });
});
