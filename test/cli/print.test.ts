import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { table, timeSince } from '../../src/cli/print.ts';

describe('a table', () => {
  test('has columns as wide as their widest cell, numbers to the right', () => {
    const rows = [
      ['ID', 'LABEL', 'STATE'],
      [1, 'web site', 'live'],
      [20, '', 'expired'],
    ];
    assert.equal(table(rows), 'ID  LABEL     STATE\n 1  web site  live\n20            expired');
  });

  test('keeps each row on one line', () => {
    assert.equal(
      table([
        ['ID', 'NAME'],
        [1, 'Night\r\n crew'],
      ]),
      'ID  NAME\n 1  Night, crew',
    );
  });

  test('shows what would steer a terminal as escapes, and is as wide as they are', () => {
    assert.equal(
      table([
        ['NAME', 'SHIFTS'],
        ['\x1b[2J\u009b31m', 1],
        ['\u202eevil\x07', 2],
      ]),
      'NAME                SHIFTS\n\\u001b[2J\\u009b31m       1\n\\u202eevil\\u0007         2',
    );
  });

  test('may have 200,000 rows', () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => [i, `row ${i}`]);
    const lines = table([['ID', 'LABEL'], ...rows]).split('\n');
    assert.equal(lines.length, 200_001);
    assert.equal(lines[1], '     0  row 0');
    assert.equal(lines.at(-1), '199999  row 199999');
  });
});

test('the time since an instant is told in the largest unit of which there are two', () => {
  const HOUR_MS = 3_600_000;
  const told: [passedMs: number, words: string][] = [
    [-5 * HOUR_MS, 'just now'],
    [59_999, 'just now'],
    [60_000, '1 minute ago'],
    [2 * HOUR_MS - 1, '119 minutes ago'],
    [2 * HOUR_MS, '2 hours ago'],
    [26.5 * HOUR_MS, '26 hours ago'],
    [48 * HOUR_MS, '2 days ago'],
  ];
  for (const [passedMs, words] of told) assert.equal(timeSince(0, passedMs), words);
});
