import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable, quote } from '@shiftfeed/common/quote';

const TABLE: [value: unknown, shown: string][] = [
  ['a "b"', '"a \\"b\\""'],
  [7, '7'],
  [Number.NaN, 'NaN'],
  [true, 'true'],
  [null, 'null'],
  [undefined, 'undefined'],
  [{ a: 1 }, '{"a":1}'],
  [[1, 'b', Number.NaN, [null]], '[1,"b",NaN,[null]]'],
  ['x'.repeat(50), `"${'x'.repeat(40)}…"`],
  ['😀'.repeat(50), `"${'😀'.repeat(40)}…"`],
  [Array.from({ length: 1_000_000 }, () => 1), `[${'1,'.repeat(19)}1…`],
  ['a\u001b[31mb\u009b\u202ec\u2028', '"a\\u001b[31mb\\u009b\\u202ec\\u2028"'],
];
for (const [value, shown] of TABLE) {
  test(`in a sentence, it is ${shown}`, () => assert.equal(quote(value), shown));
}

test('what steers a terminal is escaped, but for line breaks and tabs', () => {
  assert.equal(printable('a\tb\nc\rd\u202e'), 'a\tb\nc\\u000dd\\u202e');
});
