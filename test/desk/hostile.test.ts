import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { zip } from '../import/sheet/make-workbook.ts';
import { acme, shift } from '../support/document.ts';
import { often } from '../support/strength.ts';
import { until } from '../support/until.ts';
import { type Desk, openDesk, type Visitor } from './desk.ts';

const MEGABYTE = 1024 * 1024;

describe('A desk whose visitors behave badly', () => {
  let desk: Desk;
  let planner: Visitor;
  const ends: (() => unknown)[] = [];

  before(async () => {
    desk = await openDesk({ after: (end: () => unknown) => void ends.push(end) } as never);
    await desk.import(acme([shift('2026-11-18')]));
    planner = await desk.visitor(await desk.key('acme', 'Noor'));
  });
  after(async () => {
    for (const end of ends) await end();
  });

  /** Begins an upload and leaves it there. */
  function begin(length: number, sent = ''): ReturnType<typeof connect> {
    const socket = connect(Number(new URL(desk.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /api/imports?name=plan.csv HTTP/1.1\r\nHost: x\r\nOrigin: ${desk.url}\r\nCookie: ${planner.cookie}\r\n` +
        `Content-Length: ${length}\r\n\r\n${sent}`,
    );
    return socket;
  }

  const folderOf = async () => {
    const mine = (await readdir(tmpdir())).filter((name) =>
      name.startsWith(`shiftfeed-desk-${process.pid}-`),
    );
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

  test('uploads that never end are few, others are told to try again, and everybody else is answered', async () => {
    const sockets = Array.from({ length: 8 }, () => begin(1_000, 'date,'));
    await until('all have begun', async () => (await folderOf()).length >= 8);
    const more = await Promise.all(
      Array.from({ length: 92 }, () => planner.send('POST', 'imports?name=plan.csv', 'date\n')),
    );
    assert.deepEqual([...new Set(more.map(({ status }) => status))], [503]);
    assert.equal((await planner.send('GET', 'history')).status, 200);
    for (const socket of sockets) socket.destroy();
    await until('there is room again', async () => {
      const response = await planner.send('POST', 'imports?name=plan.csv', 'date\n');
      return response.status === 201;
    });
  });

  test('a file that is too large is refused before it is read, whether it says so or not', async () => {
    const socket = begin(101 * MEGABYTE);
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    );
    assert.match(answer, /^HTTP\/1\.1 413 /);
    socket.destroy();
    const piece = new Uint8Array(MEGABYTE);
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        if (sent++ < 120) controller.enqueue(piece);
        else controller.close();
      },
    });
    const response = await fetch(`${desk.url}/api/imports?name=plan.csv`, {
      method: 'POST',
      headers: { cookie: planner.cookie, origin: desk.url },
      body: endless,
      duplex: 'half',
    } as RequestInit).catch(() => undefined);
    assert.ok(response === undefined || response.status === 413);
    assert.ok(sent < 120, 'it was cut off');
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
    for (const [option, value] of [
      ['premium', 'true'],
      ['account', 'other'],
      ['with-tokens', 'true'],
      ['dry-run', 'false'],
      ['__proto__', 'x'],
      ['year', 'NaN'],
    ] as const) {
      await planner.post(`imports/${id}/read`, { answers: [[option, value]] });
      const result = await planner.resultOf(id);
      assert.notEqual(result.kind, 'preview', option);
    }
    for (const answers of [undefined, 'x', [['year']], [[1, 2]], { year: '2027' }])
      assert.equal((await planner.send('POST', `imports/${id}/read`, { answers })).status, 400);
  });

  test('a key that is revoked during an upload takes the upload with it', async () => {
    const key = await desk.key('acme', 'Gone');
    const gone = await desk.visitor(key);
    const socket = connect(Number(new URL(desk.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const files = (await folderOf()).length;
    socket.write(
      `POST /api/imports?name=plan.csv HTTP/1.1\r\nHost: x\r\nOrigin: ${desk.url}\r\nCookie: ${gone.cookie}\r\nContent-Length: 10\r\n\r\ndate,`,
    );
    await until('it has begun', async () => (await folderOf()).length > files);
    const account = await desk.store.findAccount('acme');
    await desk.store.revokeDeskKeys(account?.id ?? 0, { name: 'Gone' }, desk.nowMs);
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.write('start');
    assert.match(await answer, /^HTTP\/1\.1 401 /);
    socket.destroy();
    await until('it is gone', async () => (await folderOf()).length === files);
  });

  test('neither keys nor names nor files are logged', () => {
    const log = desk.log.join('\n');
    assert.ok(log.includes('"route":"imports"'));
    assert.doesNotMatch(log, /shiftfeed_desk|Noor|plan\.csv|bomb/);
  });
});
