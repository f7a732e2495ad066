import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LANGUAGES, LANGUAGES_ON_BOARD, LANGUAGES_ON_PAGE } from '@shiftfeed/common/languages/languages';

const FOLDER = join(import.meta.dirname, '../../common/src/languages');

test('every language that has a file is spoken by calendar and page', () => {
  const languages = readdirSync(FOLDER)
    .map((file) => file.replace('.ts', ''))
    .filter((name) => name.length === 2)
    .sort();
  assert.ok(languages.length >= 10);
  assert.deepEqual(Object.keys(LANGUAGES).sort(), languages);
  assert.deepEqual(Object.keys(LANGUAGES_ON_PAGE).sort(), languages);
  assert.deepEqual(Object.keys(LANGUAGES_ON_BOARD).sort(), languages);
});

for (const [name, table] of Object.entries({ page: LANGUAGES_ON_PAGE, board: LANGUAGES_ON_BOARD })) {
  test(`every language has the same values in what the ${name} says`, () => {
    const valuesOf = (text: string) => text.match(/\{\w+\}/g);
    const { en, ...others } = table;
    for (const [language, texts] of Object.entries(others)) {
      for (const [key, text] of Object.entries(en ?? {})) {
        const other = (texts as Readonly<Record<string, string>>)[key] ?? '';
        assert.deepEqual(valuesOf(other), valuesOf(text), `${language}, ${key}`);
      }
    }
  });
}
