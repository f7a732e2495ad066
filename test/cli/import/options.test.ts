import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatOf } from '../../../src/cli/import/command.ts';
import type { ImportCommandOptions } from '../../../src/cli/import/once.ts';
import { makeProgram } from '../../../src/cli/program.ts';
import { IMPORT_OPTIONS, removals } from '../../../src/import/options.ts';

const DATABASE = { database: 'sqlite:none.db' };

describe('the format of a file', () => {
  for (const [file, options, format] of [
    ['plan.json', {}, 'json'],
    ['Plan.CSV', { account: 'acme' }, 'sheet'],
    ['plan.tsv', { account: 'acme' }, 'sheet'],
    ['plan.xlsx', { account: 'acme' }, 'sheet'],
    ['plan.txt', { account: 'acme', format: 'csv' }, 'sheet'],
    ['-', { format: 'json' }, 'json'],
  ] as const)
    test(`${file} ${JSON.stringify(options)} is ${format}`, () => {
      assert.equal(formatOf(file, { ...DATABASE, ...options }), format);
    });
});

describe('options that do not fit together', () => {
  const cases: [file: string, options: Partial<ImportCommandOptions>, message: string, exitCode?: number][] =
    [
      ['-', {}, 'Say with --format what standard input is: json, csv, xlsx or ods.'],
      ['plan.json', { timeZone: 'UTC' }, '--time-zone is for sheets: a JSON document says this itself.'],
      ['plan.json', { premium: false }, '--premium is for sheets: a JSON document says this itself.'],
      ['plan.json', { columns: new Map() }, '--columns is for sheets: a JSON document says this itself.'],
      [
        'plan.json',
        { from: '2027-01-01' },
        '--from and --to say what --replace may remove: give --replace as well.',
      ],
      [
        'plan.json',
        { replace: true, from: '2027-02-01', to: '2027-01-01' },
        '--from 2027-02-01 comes after --to 2027-01-01.',
      ],
      [
        'plan.json',
        { allowEmpty: true },
        '--allow-empty is for --replace and --replace-days: give one of these, too.',
      ],
      [
        'plan.csv',
        { allowRemovals: true },
        '--allow-removals is for --replace and --replace-days: give one of these, too.',
      ],
      ...[{ replace: true }, { from: '2027-01-01' }, { to: '2027-01-01' }].map(
        (other): (typeof cases)[number] => [
          'plan.csv',
          { replaceDays: true, ...other },
          '--replace-days takes the days from the file: leave out --replace, --from and --to.',
        ],
      ),
      [
        'plan.json',
        { replace: true, allowRemovals: true },
        '--allow-removals is for sheets: a JSON document may remove any number of shifts.',
      ],
      ['plan.json', { show: true }, '--show is for --dry-run: give both.'],
      ['plan.json', { show: true, dryRun: true, quiet: true }, '--show and --quiet say the opposite.'],
      [
        'plan.xml',
        {},
        'plan.xml is neither a spreadsheet (.xlsx, .ods, .csv) nor a .json file: save it as .xlsx, or say with --format what it is.',
        1,
      ],
    ];
  for (const [file, options, message, exitCode = 2] of cases)
    test(message, () =>
      assert.throws(() => formatOf(file, { ...DATABASE, ...options }), { message, exitCode }),
    );
});

describe('--replace', () => {
  const cases = [
    [{}, 'json', { replace: false, replaceShifts: undefined }],
    [{ replace: true }, 'json', { replace: true, replaceShifts: undefined }],
    [
      { replace: true, to: '2027-01-31' },
      'json',
      { replace: false, replaceShifts: { from: undefined, to: '2027-01-31' } },
    ],
    [{ replace: true }, 'sheet', { replace: false, replaceShifts: { from: undefined, to: undefined } }],
  ] as const;
  for (const [options, format, expected] of cases)
    test(`${JSON.stringify(options)} of ${format}`, () => {
      assert.partialDeepStrictEqual(removals(options, format), expected);
    });

  test('may be for a single day, which is both --from and --to', () => {
    const options = { ...DATABASE, replace: true, from: '2027-01-31', to: '2027-01-31' };
    const format = formatOf('plan.json', options);
    assert.partialDeepStrictEqual(removals(options, format), {
      replace: false,
      replaceShifts: { from: '2027-01-31', to: '2027-01-31' },
    });
  });
});

describe('values of options', () => {
  test('--columns may be given several times', () => {
    const { fromText } = IMPORT_OPTIONS.columns;
    const columns = fromText('person=Naam', fromText('date=Datum, group = Ploeg 1'));
    assert.deepEqual(
      [...columns],
      [
        ['date', 'Datum'],
        ['group', 'Ploeg 1'],
        ['person', 'Naam'],
      ],
    );
  });

  const wrong: [option: string, value: string, message: RegExp][] = [
    ['--columns', 'Datum', /"Datum" is not COLUMN=HEADING, where COLUMN is one of id, date/],
    ['--columns', 'colour=Kleur', /"colour=Kleur" is not COLUMN=HEADING/],
    ['--columns', 'date=A,date=B', /two headings for date/],
    ['--ignore-columns', 'A,,B', /Expected headings/],
    ['--date-format', 'DD-MM', /Expected a pattern of D or DD, M, MM, MMM or MMMM, and YY or YYYY/],
    ['--encoding', 'ansi', /Expected a label such as windows-1252/],
    ['--fill-down', 'date,Datum', /"Datum" is not COLUMN, which is one of id, date.*, none\./],
    ['--published-from', '1-1-2027', /Expected a date YYYY-MM-DD, or today\./],
    ['--published-from', 'tomorrow', /Expected a date YYYY-MM-DD, or today\./],
    ['--from', '2027-02-30', /Expected a date YYYY-MM-DD/],
    ['--account', 'A b', /Expected/],
    ['--time-zone', 'Mars/Olympus', /Expected an IANA time zone/],
    ['--premium', 'maybe', /Expected true or false/],
    ['--format', 'xml', /Allowed choices are json, csv, xlsx, ods/],
  ];
  for (const [option, value, message] of wrong)
    test(`${option} ${value} is refused`, async () => {
      const program = (await makeProgram()).configureOutput({
        writeErr: () => undefined,
        outputError: () => undefined,
      });
      for (const command of program.commands) command.configureOutput(program.configureOutput());
      await assert.rejects(
        program.parseAsync(['node', 'shiftfeed', 'import', 'x.csv', option, value]),
        message,
      );
    });
});
