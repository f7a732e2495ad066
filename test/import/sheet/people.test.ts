/** What stands in cells of people, in ten languages: a name, a question, or a name that is told beside another one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../../src/import/questions.ts';
import type { Preview, ReadWith } from '../../../src/import/upload.ts';
import { ACME, acme } from '../../support/document.ts';
import { uploader } from '../uploader.ts';

const listed = (text: string) => text.split(/[|\n]/).flatMap((one) => one.trim() || []);

/** Taken for people, without a question. */
const NAMES = listed(`
  Ada | Bo | Jan | Jana | Anna | Andor Kovacs | Ora | Jan-Peter | O'Neil | van der Berg | Ada B.
  Or Levi | Per Hansen | Till Weiß | Maria do Carmo | Karl zu Hohenlohe | Di Frei | Frei Lena
  Billie Holiday | Ou Yang | d'Artagnan | Nan | José Luis Oliveira | Łucja Żak | B o | Dr. Eva Non | Ōe Kenzaburō
  Delivery | Lena Sitzung | Fay - Lee
`);

/** Certain to be something else or more. */
const QUESTIONS = listed(`
  Ada or Bo | 2x Ada | evtl. Ada | Ada (tbc) | 2 Helfer | kein Dienst | closed | statt Ada: Bo | Ada until noon | 1. Ada
  Ada? | Ada krank | ADA ODER BO | Maybe Ada | No shift | Bo for Ada | Ada x2 | not Ada | Ada sick | #3 Ada | Ada 50%
  Ada 🌴 | Ada: late | Ada* | [Ada] | Ada → Bo | Ada 9:30 | Opening hours
  Ada† | Ada ‡ | • Ada | Ada § 3 | Ada #2 | Ada ♥ | Ada ^ | Ada € | LUNCH | Break | Staff meeting | Same as Monday | as above
  See below | all staff | jury duty | Ada lieu day | Study day | Ada if needed | Training day
  Pauze | i.p.v. Ada | Overleg | ATV | zie boven | Teamsitzung | PAUSE | wie gestern | s.o. | Schulung | Alle
  José x Ana | Repas | Réunion | à la place d'Ada | au lieu d'Ada | Comida | como ayer | Pranzo | come sopra | almoço | atestado
  Zebranie | jak wyżej | Školení | viz níže | Personalemøde | afspadsering | som igår | Rast | personalmøte | se over
  Ada of Bo | misschien Ada | Bo ipv Ada | geen dienst | Gesloten | Ada ziek | Ada tot 14
  Ada oder Bo | Vielleicht Ada | Bo für Ada | Ruhetag | Urlaub | Ada bis Mittag | Ada bzw. Bo | Ada u. Bo
  Ada ou Bo | peut-être Ada | Bo remplace Ada | Fermé | pas Ada | Ada malade ? | Ada jusqu'à midi
  Ada o Bo | quizás Ada | Bo en lugar de Ada | cerrado | sin Ada | Ada hasta las 14 | Ada baja
  Ada oppure Bo | forse Ada | Bo al posto di Ada | Chiuso | nessun turno | Ada ferie
  talvez Ada | Bo em vez de Ada | fechado | sem Ada | Ada folga | Ada até 14
  Ada lub Bo | może Ada | Bo zamiast Ada | Zamknięte | bez Ada | Ada urlop | Ada od 9
  Ada nebo Bo | možná Ada | Bo místo Ada | zavřeno | Ada dovolená
  Ada eller Bo | måske Ada | Bo i stedet for Ada | Lukket | ikke Ada | Ada syg
`);

/** Another name and more words, and the other name. */
const TOLD: Readonly<Record<string, string>> = {
  'Ada 38h': 'Ada',
  'Anna Maria': 'Anna',
  'Ada Urlaub': 'Ada',
  'late Ada': 'Ada',
  'Ada Or Bo': 'Ada',
  'Ada – half day': 'Ada',
  'Zoe Anna  Lee': 'Anna',
};

/** Unlike the names above. */
const UNLIKE = listed(`
  Happy hour | Manager on duty | Temp 2 | LUNCHEON | JOSÉ X ANA
`);

const sheet = (names: readonly string[]) =>
  ['Date;Start;End;Team;Name', ...names.map((name) => `2027-03-06;9:00;17:00;Bar;"${name}"`)].join('\n');
const PUBLISHED: Answer = ['published-from', '2027-01-01'];

test('names are shown, and what is no name or more than one is asked about, unless the account has it', async (t) => {
  const { run, preview, questions } = await uploader(t);
  await run(acme([]));
  const { newNames, warnings } = await preview(sheet(NAMES), [PUBLISHED]);
  assert.deepEqual(newNames, ['New groups: Bar.', `New people: ${NAMES.join(', ')}.`]);
  assert.deepEqual(warnings, []);
  const asked = await questions(sheet([...NAMES, ...QUESTIONS]), [PUBLISHED]);
  assert.deepEqual(
    Object.keys(asked),
    QUESTIONS.map((text) => `people ${text}`),
  );
  await run({ account: ACME, people: QUESTIONS.map((name, i) => ({ id: i + 1, name })) });
  await preview(sheet([...NAMES, ...QUESTIONS.map((text) => text.toUpperCase())]), [PUBLISHED]);
});

test('new people who are unlike the others are asked about once, and told', async (t) => {
  const { run, preview, questions } = await uploader(t);
  await run(acme([], { people: [{ id: 1, name: 'on call' }] }));
  const short = '2027-03-06;9:00;9:30;Bar;Round';
  const file = `${sheet([...NAMES, ...UNLIKE, 'ON CALL'])}\n${short}\n`;
  const asked = await questions(file, [PUBLISHED]);
  const unlike = [...UNLIKE, 'Round'];
  assert.deepEqual(Object.keys(asked).toSorted(), unlike.map((text) => `people ${text}`).toSorted());
  for (const text of unlike) {
    const { message, likely, choices } = asked[`people ${text}`] ?? {};
    assert.equal(message, `${text} is new, and unlike the others.`);
    assert.equal(likely?.value, `${text}=${text}`);
    assert.deepEqual(
      choices?.map(({ value }) => value),
      [`${text}=${text}`, `${text}=`],
    );
  }
  const people = unlike.map((text): Answer => ['people', `${text}=${text}`]);
  const { warnings } = await preview(file, [PUBLISHED, ...people]);
  assert.deepEqual(warnings, []);
});

test('a name and more words is probably a person: it is asked about once, and told', async (t) => {
  const { run, preview, questions } = await uploader(t);
  await run(acme([], { people: [{ id: 1, name: 'ADA' }] }));
  const file = sheet([...NAMES.slice(1), ...Object.keys(TOLD)]);
  const asked = Object.values(await questions(file, [PUBLISHED]));
  const likely = (text: string): Answer => ['people', `${text}=${text}`];
  assert.deepEqual(
    asked.map(({ message, likely: { option, value } = {} }) => [message, [option, value]]),
    Object.entries(TOLD).map(([text, near]) => [`${text} is new beside ${near}.`, likely(text)]),
  );
  const [first = '', ...others] = Object.keys(TOLD);
  const answers = [PUBLISHED, ...others.map(likely), ['people', `${first}=Cy; Ed`] as const];
  const {
    newNames,
    warnings,
    answers: used,
  } = (await preview(file, [...answers, ['people', 'Fay?=Fay']])) as Preview & ReadWith;
  assert.equal(used.length, answers.length, 'what the file does not have is forgotten');
  assert.deepEqual(warnings, []);
  assert.match(newNames[1] ?? '', /Cy, Ed, Anna Maria, Ada Urlaub, .*\.$/);
});
