/** The commands of docs/importing.md are run in the order of the manual, and must print what it shows. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DATE_RULE } from '../../sheets/src/values/formats.ts';
import { TABLE_COLUMNS } from '../../sheets/src/words/headings.ts';
import { LANGUAGES } from '../../sheets/src/words/languages.ts';
import { TIME_RULE } from '../../sheets/src/words/time.ts';
import { RECIPE_KEYS, readRecipe } from '../../src/cli/import/recipe.ts';
import { asDate, asTime, type MadeCell, xlsx } from '../import/sheet/make-workbook.ts';
import { shiftfeed } from '../support/cli-in-process.ts';
import { newFolder } from '../support/database.ts';
import { readTranscript } from './transcript.ts';

const MANUAL = readFileSync(join(import.meta.dirname, '../../docs/importing.md'), 'utf8');

/** When the manual was written. */
const TODAY = '2026-11-16';
const NOW_MS = Date.parse(`${TODAY}T12:00:00Z`);

/** Where the manual pretends to be. */
const FOLDER = '/srv/shiftfeed';

test('the commands of the manual print what it shows', async (t) => {
  const cwd = await newFolder(t);
  // A file is shown after the sentence that names it.
  const files = [...MANUAL.matchAll(/`([a-z]+\.(?:csv|json))`[^`]*:\n\n```(?:csv|json)\n(.*?)```/gs)];
  assert.deepEqual(
    files.map(([, name]) => name),
    ['plan.csv', 'rooster.csv', 'week.csv', 'corrected.csv', 'plan.json'],
  );
  for (const [, name = '', text = ''] of files) await writeFile(join(cwd, name), text);
  await writeFile(join(cwd, 'Dienstplan.xlsx'), plannersWorkbook());

  for (const { command, shown } of readTranscript(MANUAL)) {
    const [, words = '', input] = /^shiftfeed (.*?)(?: < (\S+))?$/.exec(command) ?? [];
    const stdin = input === undefined ? '' : await readFile(join(cwd, input), 'utf8');
    const { code, stdout, stderr } = await shiftfeed(words.split(' '), { cwd, stdin, nowMs: NOW_MS });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, command);
    assert.equal(stdout.trimEnd().replaceAll(cwd, FOLDER), shown, command);
  }
  for (const slug of ['hafen', 'acme', 'lighthouse']) await assertListedWithoutTwins(slug, cwd);
});

/** Who follows the manual to the letter sees all shifts, and nothing twice. */
async function assertListedWithoutTwins(slug: string, cwd: string): Promise<void> {
  const { stdout } = await shiftfeed(['export', slug], { cwd });
  const { account, shifts, ...named } = JSON.parse(stdout);
  assert.equal(account.premium, true, slug);
  for (const { publish_date } of shifts) assert.ok(publish_date <= TODAY, `${slug}: ${publish_date}`);
  for (const [kind, records] of Object.entries(named)) {
    const names = (records as readonly { readonly name: string }[]).map(({ name }) => name);
    assert.deepEqual([...new Set(names)], names, `${kind} of ${slug}`);
  }
}

/** The first table of the manual, with dates and times as a spreadsheet has them. */
function plannersWorkbook(): Buffer {
  const [table = ''] = /(?:^\|.*\n)+/m.exec(MANUAL) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('|---'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => typed(cell.trim())),
    );
  return xlsx([{ name: 'März', rows }]);
}

function typed(cell: string): MadeCell {
  if (/^\d\d:\d\d$/.test(cell)) return asTime(cell);
  return /^\d\d\.\d\d\.\d{4}$/.test(cell) ? asDate(cell.split('.').toReversed().join('-')) : cell;
}

test('the manual has the table of headings', () => {
  for (const languages of [LANGUAGES.slice(0, 5), LANGUAGES.slice(5)]) {
    const lines = TABLE_COLUMNS.map((column) => {
      const words = languages.map(({ headings }) => headings[column]);
      return `| \`${column}\` | ${words.join(' | ')} |`;
    });
    const table = [
      `| Column | ${languages.map(({ language }) => language).join(' | ')} |`,
      `|${'---|'.repeat(1 + languages.length)}`,
      ...lines,
    ];
    assert.ok(MANUAL.includes(table.join('\n')), table.join('\n'));
  }
});

test('the problems of the manual are told in its words', () => {
  for (const words of [TIME_RULE, DATE_RULE]) assert.ok(MANUAL.includes(words), words);
});

test('the manual has the keys of recipes, and a recipe that can be read', async (t) => {
  const [, recipe = '{}'] = /## Recipes\n.*?```json\n(.*?)```/s.exec(MANUAL) ?? [];
  const file = join(await newFolder(t), 'recipe.json');
  await writeFile(file, recipe);
  assert.equal(Object.keys(await readRecipe(file, [])).length, 6);
  const [, listed = ''] = /long names of options: (.*?)\. Values/s.exec(MANUAL) ?? [];
  assert.deepEqual(
    [...listed.matchAll(/`(.*?)`/g)].map(([, key]) => key),
    RECIPE_KEYS,
  );
});
