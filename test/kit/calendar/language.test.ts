import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Day, parseDate } from '@shiftfeed/common/days';
import { LANGUAGES } from '@shiftfeed/common/languages/languages';
import { periodOf } from '../../../common/src/calendar/frame.ts';
import { speak } from '../../../common/src/calendar/language.ts';
import { plain } from '../../support/wording.ts';

/** Of each language, numbers that it counts in different ways. */
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  ar: ['مناوبة واحدة', 'مناوبتان', '3 مناوبات', '11 مناوبة', '100 مناوبة'],
  es: ['1 turno', '2 turnos'],
  he: ['משמרת אחת', 'שתי משמרות', '3 משמרות'],
  it: ['1 turno', '2 turni'],
  pl: ['1 zmiana', '2 zmiany', '5 zmian', '12 zmian', '22 zmiany'],
  pt: ['1 turno', '2 turnos'],
};

for (const [language, texts] of Object.entries(COUNTED)) {
  test(`shifts are counted as ${language} counts`, () => {
    const { countShifts } = speak({ chosen: language, page: null, visitor: [] }, {});
    const counts = texts.map((text, i) => Number(/\d+/.exec(text)?.[0] ?? i + 1));
    assert.deepEqual(
      counts.map((count) => plain(countShifts(count))),
      texts,
    );
  });
}

test('every language has all messages, with the same values in them, and all plurals of its own', () => {
  const { en, ...others } = LANGUAGES;
  for (const [language, messages] of Object.entries(others)) {
    const texts: Readonly<Record<string, string>> = messages;
    for (const [key, text] of Object.entries(en ?? {})) {
      if (!key.startsWith('shifts_'))
        assert.deepEqual(valuesOf(texts[key]), valuesOf(text), `${language}, ${key}`);
    }
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    // Many are millions there, which is more than a day has.
    const needed = ['es', 'fr', 'it', 'pt'].includes(language)
      ? pluralCategories.filter((category) => category !== 'many')
      : pluralCategories;
    for (const category of needed) assert.ok(`shifts_${category}` in texts, `${language}, ${category}`);
  }
});

test('without words in a language, dates are in English, too, with the week and the clock of the country', () => {
  const day = parseDate('2026-11-16') as Day;
  const told = (chosen: string, own = {}) => {
    const { tag, date, firstWeekday, clockHours } = speak({ chosen, page: null, visitor: [] }, own);
    return [tag, plain(date(day, 'weekday')), firstWeekday, clockHours];
  };
  assert.deepEqual(told('sv'), ['en-SE', 'Monday', 1, '24']);
  assert.deepEqual(told('ja'), ['en-JP', 'Monday', 7, told('ja', { today: '今日' })[3]]);
  assert.deepEqual(told('sv', { today: 'Idag' }).slice(0, 2), ['sv', 'måndag']);
});

test('weeks begin on the right day, also in browsers that do not tell on which', (context) => {
  const first = (chosen: string) => speak({ chosen, page: null, visitor: [] }, {}).firstWeekday;
  const locales = ['de', 'en-GB', 'pl', 'en-US', 'he', 'pt-BR', 'ar', 'ar-EG', 'ar-MA', 'fa'];
  const told = locales.map(first);
  assert.deepEqual(told, [1, 1, 1, 7, 7, 7, 6, 6, 1, 6]);
  context.mock.property(Intl.Locale.prototype as { getWeekInfo?: unknown }, 'getWeekInfo', undefined);
  assert.deepEqual(locales.map(first), told);
});

test('a week has its number where weeks begin on Mondays, as those with numbers do', () => {
  const [from, to] = ['2026-12-28', '2027-01-03'].map((text) => parseDate(text) as Day) as [Day, Day];
  const period = (chosen: string) =>
    periodOf('week', { from, to }, from, speak({ chosen, page: null, visitor: [] }, {}));
  assert.match(period('en-GB'), / · Week 53$/);
  assert.doesNotMatch(period('en-US'), /·/);
});

test('an end has other words as a time than as a day, where a language needs them', () => {
  const ends = ['nl', 'fr', 'es', 'it', 'pt'].map((chosen) => {
    const { say } = speak({ chosen, page: null, visitor: [] }, {});
    return `${say('until', { time: '08:00' })}, ${say('until_day', { day: '*' })}`;
  });
  assert.deepEqual(ends, [
    'tot 08:00, t/m *',
    'jusqu’à 08:00, jusqu’au *',
    'hasta las 08:00, hasta el *',
    'fino alle 08:00, fino a *',
    'até às 08:00, até *',
  ]);
});

test('what is left out is counted in words that fit one as well as many, because there are no plurals of them', () => {
  const more = ['de', 'fr', 'es', 'it', 'pl', 'pt'].map((chosen) =>
    speak({ chosen, page: null, visitor: [] }, {}).say('more', { count: 1 }),
  );
  assert.deepEqual(more, ['+1 weitere', '1 de plus', '1 más', 'ancora 1', 'jeszcze 1', 'mais 1']);
});

test('Arabic and Hebrew are written from right to left', () => {
  const direction = (chosen: string) => speak({ chosen, page: null, visitor: [] }, {}).direction;
  assert.deepEqual(['ar', 'he', 'pl'].map(direction), ['rtl', 'rtl', 'ltr']);
});

function valuesOf(text = ''): string[] {
  return [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort();
}
