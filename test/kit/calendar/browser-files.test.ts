import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { browserFiles } from '../../../kit/calendar/build/browser-files.ts';
import { wholeScript } from '../../../kit/calendar/build/scripts.ts';

const README = readFileSync(join(import.meta.dirname, '../../../kit/calendar/README.md'), 'utf8');
const MAX_COMPRESSED_BYTES: Readonly<Record<string, number>> = {
  'shift-calendar.js': 23_000,
  'shift-calendar-grids.js': 6_500,
  'shift-calendar-board.js': 7_000,
};

test('the sizes of the scripts are those of the table, and within their budgets', () => {
  const files = browserFiles();
  assert.deepEqual(
    files.map(({ name }) => name),
    Object.keys(MAX_COMPRESSED_BYTES),
  );
  for (const { name, bytes } of files) {
    const compressed = gzipSync(bytes, { level: 9 }).length;
    assert.ok(compressed < (MAX_COMPRESSED_BYTES[name] ?? 0), `${name} has ${compressed} bytes`);
    const row = `| \`${name}\` | ${kilobytes(bytes.length)} | ${kilobytes(compressed)} |`;
    assert.ok(README.includes(row), `kit/calendar/README.md should have the row: ${row}`);
  }
});

test('the scripts are JavaScript that imports nothing but each other', () => {
  for (const { name, bytes, contentType } of browserFiles()) {
    const text = Buffer.from(bytes).toString();
    assert.equal(contentType, 'text/javascript; charset=utf-8');
    const imports = [...text.matchAll(/\bimport\b[^;)]*\)?/g)].map(([found]) => found);
    const onDemand = ['import("./shift-calendar-board.js")', 'import("./shift-calendar-grids.js")'];
    assert.deepEqual(imports, name === 'shift-calendar.js' ? onDemand : [], name);
    assert.doesNotMatch(
      text,
      /innerHTML|insertAdjacentHTML|document\.write|\beval\b|setAttribute\(["'`]style/,
      name,
    );
  }
});

test('as a single script, it imports nothing', () => {
  const text = wholeScript();
  assert.doesNotMatch(text, /\bimport\b/);
  assert.match(text, /board-clock/);
});

test('on a server, the module can be imported and registers nothing', async () => {
  // The compiler need not follow: it would look for a browser here.
  const name: string = '@shiftfeed/calendar';
  assert.deepEqual(Object.keys(await import(name)), ['ShiftCalendar']);
  assert.ok(!('customElements' in globalThis) && !('HTMLElement' in globalThis));
});

test('the manual names every property and attribute, and none that does not exist', () => {
  const text = browserFiles()
    .map(({ bytes }) => Buffer.from(bytes).toString())
    .join('');
  const named = (pattern: RegExp, where: string) => [...new Set(where.match(pattern))].sort();
  assert.deepEqual(named(/--shift-calendar-[a-z-]+/g, README), named(/--shift-calendar-[a-z-]+/g, text));
  const [, attributes = ''] = /observedAttributes ?= ?\[([^\]]*)\]/.exec(text) ?? [];
  const [, rows = ''] = /^## Attributes$(.*?)^## /ms.exec(README) ?? [];
  assert.deepEqual(named(/(?<=^\| `)[a-z-]+(?=` \|)/gm, rows), named(/[a-z-]+/g, attributes));
});

/** Rounded up to a whole one, so that a small change need not change the table. */
function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1000)} kB`;
}
