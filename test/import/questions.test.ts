/** What only a planner can know is asked with choices made from the file, and an answer is what the command line takes. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IMPORT_OPTIONS, keyOf, OPTION_NAMES, optionOf } from '../../src/import/options.ts';
import { type Answer, isKeepable, type Question } from '../../src/import/questions.ts';
import { ACME, KITCHEN } from '../support/document.ts';
import { xlsx } from './sheet/make-workbook.ts';
import { uploader } from './uploader.ts';

const ZONE: Answer = ['time-zone', 'Europe/Amsterdam'];
const GROUP: Answer = ['group', 'Bar'];
const TODAY: Answer = ['published-from', 'today'];
const HEADER = 'date,start_time,end_time,group,publish_date';

const choicesOf = (question: Question | undefined) =>
  question?.choices.map(({ option, value, label }) => `${label} (${option} ${value})`);

describe('a question', () => {
  test('about dates names the days that are meant', async (t) => {
    const { questions } = await uploader(t);
    const asked = await questions(`${HEADER}\n3/6/2027,9:00,17:00,Bar,2026-01-01`, [ZONE]);
    assert.deepEqual(Object.keys(asked), ['date-format']);
    const { message, label, place } = asked['date-format'] as Question;
    assert.equal(message, 'Is 3/6/2027 the 3rd of June or the 6th of March?');
    assert.equal(label, 'How dates are written');
    assert.equal(place, 'line 2, date');
    assert.deepEqual(choicesOf(asked['date-format']), [
      'the 3rd of June (date-format D/M/YYYY)',
      'the 6th of March (date-format M/D/YYYY)',
    ]);
  });

  test('about a date with a short year names the years, too', async (t) => {
    const { questions } = await uploader(t);
    const asked = await questions(`${HEADER}\n11-12-13,9:00,17:00,Bar,2026-01-01`, [ZONE]);
    assert.equal(
      asked['date-format']?.message,
      'Is 11-12-13 the 11th of December 2013 or the 12th of November 2013 or the 13th of December 2011?',
    );
  });

  test('about the group offers those of the account, the columns that are not read, and a field', async (t) => {
    const { run, questions } = await uploader(t);
    await run({ account: ACME, groups: [KITCHEN, { ...KITCHEN, id: 2, name: 'Bar' }] });
    const asked = await questions('date,start_time,end_time,Colour\n2027-06-03,9:00,17:00,7');
    assert.deepEqual(choicesOf(asked.group), [
      'Kitchen (group Kitchen)',
      'Bar (group Bar)',
      'Colour is the group (columns group=Colour)',
    ]);
    assert.equal(asked.group?.message, 'there is no column for the group');
    assert.deepEqual(asked.group?.input, { option: 'group', before: '', kind: 'text' });
    assert.equal(choicesOf(asked['published-from'])?.[0], 'Today (published-from today)');
    assert.equal(asked['published-from']?.input?.kind, 'date');
  });

  test('about a code has a field for its times, and is found behind other questions', async (t) => {
    const { run, questions, preview } = await uploader(t);
    await run({ account: ACME });
    const roster = 'person,1 June,2 June,3 June\nAda,E,L,off\nBo,L,,E';
    const asked = await questions(roster);
    assert.deepEqual(Object.keys(asked).sort(), ['codes E', 'codes L', 'group', 'published-from', 'year']);
    assert.equal(asked['codes E']?.label, 'Times of E');
    assert.deepEqual(choicesOf(asked['codes E']), ['E is no shift (codes E=)']);
    assert.equal(asked['codes E']?.input?.before, 'E=');
    const { counts } = await preview(roster, [
      GROUP,
      TODAY,
      ['year', '2027'],
      ['codes', 'E=06:00-14:00'],
      ['codes', 'L='],
    ]);
    assert.equal(counts.shifts.added, 2);
  });

  test('comes with what may be typed once, however many ask for it', async (t) => {
    const { run, read } = await uploader(t);
    await run({ account: ACME, people: [{ id: 1, name: 'Ada' }] });
    const row = (date: string, i: number) => `${date},9:00,17:00,Bar,Ada ${i} (late),2026-01-01`;
    const many = Array.from({ length: 30 }, (_, i) => row('2027-06-03', i));
    const asked = await read([HEADER.replace('group', 'group,person'), ...many].join('\n'));
    assert.ok(asked.kind === 'questions', JSON.stringify(asked));
    assert.equal(asked.questions.filter(({ input }) => input?.kind === 'people').length, 30);
    assert.deepEqual(asked.suggestions, { people: ['Ada'] });
    const undated = await read(`${HEADER.replace('group', 'group,person')}\n${row('3 June', 1)}`);
    assert.ok(undated.kind === 'questions', JSON.stringify(undated));
    assert.deepEqual(undated.suggestions.year, ['2026', '2027']);
  });

  test('about the sheet names all of them', async (t) => {
    const { run, questions } = await uploader(t);
    await run({ account: ACME });
    const rows = [HEADER.split(','), ['2027-06-03', '9:00', '17:00', 'Bar', '2026-01-01']];
    const book = xlsx([
      { name: 'June', rows },
      { name: 'July', rows },
    ]);
    const asked = await questions(book, [['sheet', 'May']], { name: 'plan.xlsx' });
    assert.deepEqual(choicesOf(asked.sheet), [
      'June (sheet June)',
      'All of them (sheet all)',
      'July (sheet July)',
    ]);
    assert.equal(asked.sheet?.message, 'several sheets of the workbook hold shifts');
  });

  test('about a word of a status offers everything that it may mean', async (t) => {
    const { run, questions } = await uploader(t);
    await run({ account: ACME });
    const asked = await questions(`${HEADER},Status\n2027-06-03,9:00,17:00,Bar,2026-01-01,zilch`);
    assert.deepEqual(
      asked['status zilch']?.choices.map(({ value }) => value),
      ['zilch=shift', 'zilch=none', 'zilch=cancelled', 'zilch=noshow', 'Status'],
    );
  });

  test('about a new account asks where it is', async (t) => {
    const { questions } = await uploader(t);
    const asked = await questions(`${HEADER}\n2027-06-03,9:00,17:00,Bar,2026-01-01`);
    assert.deepEqual(Object.keys(asked), ['time-zone']);
    assert.equal(asked['time-zone']?.input?.kind, 'zone');
    assert.equal(asked['time-zone']?.input?.kind, 'zone');
  });

  test('is asked again with what was answered, if that cannot be', async (t) => {
    const { run, questions } = await uploader(t);
    await run({ account: ACME });
    const roster = 'person,2027-06-01,2027-06-02,2027-06-03\nAda,E,E,off\nBo,E,,E';
    const asked = await questions(roster, [GROUP, TODAY, ['codes', 'E=6 to 99']]);
    assert.match(asked['codes E']?.message ?? '', /^"E=6 to 99" is not CODE=TIMES/);
    assert.deepEqual(asked['codes E']?.answer, { option: 'codes', value: 'E=6 to 99' });
    assert.deepEqual(choicesOf(asked['codes E']), []);
  });
});

test('every option that can solve a problem has a field, and what only an operator decides has none', () => {
  const without = OPTION_NAMES.filter((name) => optionOf(name).field === undefined).map(keyOf);
  assert.deepEqual(without, ['format', 'account', 'replace', 'from', 'to', 'dry-run', 'premium']);
  assert.equal(IMPORT_OPTIONS.dateFormat.field.label(), 'How dates are written');
});

test('an answer is kept for the next file of its layout unless it holds for one file alone', () => {
  const kept: readonly Answer[] = [
    ['replace-days', 'false'],
    ['columns', 'date=Datum'],
    ['date-format', 'D/M/YYYY'],
    ['codes', 'off='],
    ['people', 'Ada?=Ada'],
    ['sheet', 'all'],
    ['published-from', 'today'],
  ];
  const once: readonly Answer[] = [
    ['year', '2027'],
    ['sheet', 'June'],
    ['time-zone', 'UTC'],
    ['allow-removals', 'true'],
    ['premium', 'true'],
    ['nonsense', ''],
  ];
  assert.deepEqual([...kept, ...once].filter(isKeepable), kept);
});
