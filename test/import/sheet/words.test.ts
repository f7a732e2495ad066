import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWrittenDate } from '../../../sheets/src/words/date.ts';
import { LANGUAGES, plainWord } from '../../../sheets/src/words/languages.ts';

test('no heading stands for two columns', () => {
  const columns = new Map<string, string>();
  for (const [column, heading] of LANGUAGES.flatMap(({ headings }) => Object.entries(headings)).flatMap(
    ([name, words]) => words.split(', ').map((word) => [name, word] as const),
  )) {
    const plain = plainWord(heading);
    assert.equal(columns.get(plain) ?? column, column, heading);
    columns.set(plain, column);
  }
});

test('the end of an ordinal number is no weekday of another language', () => {
  for (const day of ['1st', '2nd', '3rd', '1er'])
    for (const month of ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August'])
      assert.ok(readWrittenDate(`${day} ${month} 2027`, 'day first'), day);
});

test('no word is two months', () => {
  const numbers = new Map<string, number>();
  for (const { months } of LANGUAGES) {
    for (const [i, words] of months.split(', ').entries()) {
      for (const word of words.split(' ').map(plainWord)) {
        assert.equal(numbers.get(word) ?? i, i, word);
        numbers.set(word, i);
      }
    }
  }
});

test('every language has words of every kind; a kind that it has none of is an empty text', () => {
  const [english, ...others] = LANGUAGES;
  const kinds = kindsOf(english ?? {});
  for (const { language, ...words } of others) {
    const own = kindsOf(words);
    const lacking = kinds.filter((kind) => kind !== 'language' && !own.includes(kind));
    assert.deepEqual({ language, lacking }, { language, lacking: [] });
    assert.deepEqual(
      { language, unknown: own.filter((kind) => !kinds.includes(kind)) },
      { language, unknown: [] },
    );
  }
  for (const { language, months, weekdays, weekdaysInRows } of LANGUAGES)
    assert.deepEqual(
      [months, weekdays, weekdaysInRows].map((words) => words.split(', ').length),
      [12, 7, 7],
      language,
    );
});

function kindsOf(words: object, before = ''): readonly string[] {
  return Object.entries(words).flatMap(([kind, content]) =>
    typeof content === 'string' ? before + kind : kindsOf(content, `${before}${kind}.`),
  );
}
