/**
 * Each word of each language is read, and means what it should. The words are a copy of our own, so that one that is lost
 * is missed.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isError } from '../../../sheets/src/cell.ts';
import { readWrittenDate, weekdaysNamed, wrongWeekday } from '../../../sheets/src/words/date.ts';
import { columnOf, isBreakWord, nearlyColumn } from '../../../sheets/src/words/headings.ts';
import { LANGUAGES } from '../../../sheets/src/words/languages.ts';
import { isNobody, isNoPerson, saysMoreThanName, separatorIn } from '../../../sheets/src/words/people.ts';
import {
  changesRow,
  isZoneHeading,
  notPlanIn,
  planMeaning,
  readStatus,
  statusHeading,
} from '../../../sheets/src/words/status.ts';
import {
  cutDateAndTime,
  readLength,
  readTime,
  readTimes,
  severalTimes,
} from '../../../sheets/src/words/time.ts';
import { isWeekLabel, monthsNamed, periodIn, weekIn } from '../../../sheets/src/words/title.ts';
import { isDitto, isFree, isNothing, isTotalWord, readFlag } from '../../../sheets/src/words/words.ts';
import words from './every-word.json' with { type: 'json' };

/** What a word says, of which the test says whether that is right. */
type Says = (word: string) => boolean;

const firstDay = (title: string) => {
  const week = weekIn(title, 2027) ?? [];
  if (week === 'unclear') return week;
  return 'number' in week ? week.number : week.map(({ first }) => first).join();
};

const KINDS: Readonly<Record<string, Readonly<Record<string, Says>>>> = {
  dates: {
    fillers: (word) => readWrittenDate(`${word} 6 March 2027`, 'day first') === '2027-03-06',
    ordinals: (word) => readWrittenDate(`6${word} March 2027`, 'day first') === '2027-03-06',
  },
  otherHeadings: {
    breaks: isBreakWord,
    status: (word) => statusHeading(word) === 'sure',
    maybeStatus: (word) => statusHeading(word) === 'vague',
    agreement: (word) => changesRow(word, 'no'),
    change: (word) => changesRow(word, 'Bo'),
    count: (word) => changesRow(word, '2') && !changesRow(word, '1'),
    zone: isZoneHeading,
    ends: (word) => nearlyColumn(`Employe ${word}`) === undefined,
  },
  status: {
    cancelled: (word) => readStatus(word) === 'cancelled',
    noshow: (word) => readStatus(word) === 'noshow',
    shift: (word) => readStatus(word) === 'shift',
    none: (word) => readStatus(word) === 'none',
    available: (word) => isFree(word) && readStatus(word) === undefined,
    plan: (word) => planMeaning(word, undefined) === 'shift',
    actual: (word) => planMeaning(word, undefined) === 'asked',
    notPlan: (word) => planMeaning(word, undefined) === 'asked' && notPlanIn(`March: ${word}`) === word,
  },
  cells: {
    yes: (word) => readFlag(word) === true,
    no: (word) => readFlag(word) === false,
    free: isFree,
    total: isTotalWord,
    nobody: isNobody,
    ditto: isDitto,
    nothing: isNothing,
    errors: isError,
  },
  people: {
    or: (word) => saysMoreThanName(`Ada ${word} Bo`),
    maybe: (word) => saysMoreThanName(`${word.toLowerCase()} Ada`),
    instead: (word) => saysMoreThanName(`Ada ${word} Bo`),
    no: (word) => saysMoreThanName(`${word} Ada`),
    closed: isNoPerson,
  },
  times: {
    from: (word) => readTimes(`${word} 9 - 17`) !== undefined,
    to: (word) => readTimes(`9 ${word} 17`) !== undefined,
    besideNames: (word) => saysMoreThanName(`Ada ${word} 9`),
    at: (word) => cutDateAndTime(`6.3.2027 ${word} 9:30`)?.[0] === '6.3.2027',
    noon: (word) => readTime(word)?.minute === 720,
    midnight: (word) => readTime(word)?.minute === 0,
    clock: (word) => readTime(`9 ${word}`)?.minute === 540,
    clockBeforeMinutes: (word) => readTime(`9 ${word} 30`)?.minute === 570,
    hours: (word) =>
      readLength(`8 ${word}`, 'decimal') === 480 && readLength(`7,5 ${word}`, 'decimal') === 450,
    minutes: (word) => readLength(`90 ${word}`, 'decimal') === 90,
  },
  titles: {
    week: (word) => firstDay(`${word} 8 March 2027`) === '2027-03-08',
    numberedWeek: (word) => isWeekLabel(`${word} 10`) && firstDay(`${word} 10`) === 10,
    onlyNumbered: (word) => firstDay(`${word} 10/27`) === 10,
    number: (word) => firstDay(`Week ${word} 10`) === 10,
    printed: (word) => weekIn(`Weekly plan ${word} 8 March 2027`, 2027) === undefined,
    start: (word) => periodIn(`Plan ${word} 8 March 2027`, 2027)?.first === '2027-03-08',
    end: (word) => firstDay(`Week ${word} 14 March 2027`) === '2027-03-08',
    to: (word) => firstDay(`8 ${word} 14 March 2027`) === '2027-03-08',
    notMonths: (word) => monthsNamed(`Plan ${word} of 2027`, 2027).length === 0,
  },
};

const listed = (text: string) => text.split(', ').filter((word) => word !== '');
/** Alone, it is a German Sunday. */
const CZECH_SATURDAY = 'so';

for (const ofLanguage of words) {
  const { language, months, weekdays, weekdaysInRows, weekdaysAlone, separators, headings, ...kinds } =
    ofLanguage;
  test(`every word of ${language} is read`, () => {
    const wrong: string[] = [];
    const check = (isRight: boolean, ...what: readonly string[]) => {
      if (!isRight) wrong.push(what.join(' '));
    };
    for (const [i, ways] of months.split(', ').entries()) {
      const date = `2027-${String(i + 1).padStart(2, '0')}-06`;
      for (const word of ways.split(' '))
        check(readWrittenDate(`6 ${word} 2027`, 'day first') === date, 'month', word);
    }
    const week = Array.from({ length: 7 }, (_, i) => `2027-03-${String(7 + i).padStart(2, '0')}`);
    for (const table of [weekdays, weekdaysInRows].map((some) =>
      some.split(', ').map((one) => one.split(' ')),
    ))
      for (const [i, ways] of table.entries())
        for (const word of ways) {
          const row = table.map(([first = '']) => first).with(i, word);
          check(wrongWeekday(row, week) === undefined, 'weekday in a row', word);
        }
    for (const [i, ways] of weekdays.split(', ').entries())
      for (const word of ways.split(' '))
        check(weekdaysNamed(word)?.has(i + 1) === (word !== CZECH_SATURDAY), 'weekday', word);
    for (const word of listed(weekdaysAlone)) check(weekdaysNamed(word)?.size === 1, 'weekday alone', word);
    for (const word of listed(separators))
      check(
        separatorIn(`Ada ${word} Bo`, [], false) === word && severalTimes(`9-12 ${word} 14-18`)?.length === 2,
        'separator',
        word,
      );
    for (const [column, some] of Object.entries(headings))
      for (const word of listed(some))
        check(
          columnOf(word.replace('*', ''), word.endsWith('*') ? 'second' : 'first') === column,
          column,
          word,
        );
    for (const [kind, tests] of Object.entries(KINDS)) {
      const own: Readonly<Record<string, string>> = kinds[kind as keyof typeof kinds];
      assert.deepEqual(Object.keys(own).sort(), Object.keys(tests).sort(), kind);
      for (const [name, says] of Object.entries(tests))
        for (const word of listed(own[name] ?? '')) check(says(word), kind, name, word);
    }
    assert.deepEqual(wrong, []);
  });
}

test('each language has these words, and no others', () => {
  assert.deepEqual(LANGUAGES, words);
});
