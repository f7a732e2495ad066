import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MONTHS, readDate } from '../../../src/import/sheet/words/date.ts';
import { HEADINGS } from '../../../src/import/sheet/words/headings.ts';
import { plainWord } from '../../../src/import/sheet/words/words.ts';

test('no heading stands for two columns', () => {
  const columns = new Map<string, string>();
  for (const [column, languages] of Object.entries(HEADINGS)) {
    for (const heading of Object.values(languages).flatMap((words) => words.split(', '))) {
      const plain = plainWord(heading);
      assert.equal(columns.get(plain) ?? column, column, heading);
      columns.set(plain, column);
    }
  }
});

test('the end of an ordinal number is no weekday of another language', () => {
  for (const day of ['1st', '2nd', '3rd', '1er']) {
    for (const month of [1, 2, 3, 4, 5, 6, 7])
      assert.ok(
        readDate(`${day} ${MONTHS.English.split(', ')[month]?.split(' ')[0]} 2027`, 'day first'),
        day,
      );
  }
});

test('no word is two months', () => {
  const months = new Map<string, number>();
  for (const language of Object.values(MONTHS)) {
    for (const [i, words] of language.split(', ').entries()) {
      for (const word of words.split(' ').map(plainWord)) {
        assert.equal(months.get(word) ?? i, i, word);
        months.set(word, i);
      }
    }
  }
});
