/** Sheets as people make them come in as they are meant, or are refused with a sentence that says what to do. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeReport } from '../../../src/import/describe.ts';
import type { ImportSummary } from '../../../src/import/import.ts';
import { describeProblem, rowProblem } from '../../../src/import/problems.ts';
import { assertAccounted, readSheetText } from '../reading.ts';
import { type Kind, KINDS as TEXT_KINDS } from './kinds.ts';
import { LIST_KINDS } from './list-kinds.ts';
import { ods, xlsx } from './make-workbook.ts';
import { PLANNER_KINDS } from './planner-kinds.ts';
import { ROSTER_KINDS } from './roster-kinds.ts';
import { TOOL_KINDS } from './tool-kinds.ts';
import { UNREADABLE_KINDS, WORKBOOK_KINDS } from './workbook-kinds.ts';

/** A group that is not the only thing to tell. */
const groupOf = ({ options: { group, ...others } = {} }: Kind) =>
  group !== undefined && Object.keys(others).length > 0 ? { group } : {};

/** A kind with words of a problem is two: as long as the options are not given, and with them. */
const both = ({ untold, ...kind }: Kind): readonly Kind[] =>
  untold === undefined
    ? [kind]
    : [
        { name: kind.name, file: kind.file, outcome: { refused: untold }, options: groupOf(kind) },
        { ...kind, name: `${kind.name}, told` },
      ];
const USUAL_KINDS = [...TEXT_KINDS, ...TOOL_KINDS, ...ROSTER_KINDS, ...WORKBOOK_KINDS].flatMap(both);
const KINDS = [...USUAL_KINDS, ...[...LIST_KINDS, ...PLANNER_KINDS, ...UNREADABLE_KINDS].flatMap(both)];

describe('a sheet as people make it', () => {
  for (const { name, file, options, outcome } of KINDS)
    test(name, async () => {
      const parts = await readSheetText(file, { publishedFrom: '2027-01-01', ...options });
      const rows = parts.flatMap((part) => ('rows' in part ? part.rows : []));
      const problems = [
        ...parts.flatMap((part) => ('problem' in part ? part.problem : [])),
        ...rows.flatMap(({ position, shift }) =>
          (shift.flawed?.flaws ?? []).map((flaw) => rowProblem(position, flaw)),
        ),
      ].map(describeProblem);
      if ('refused' in outcome) {
        assert.match(problems.join('\n'), outcome.refused);
      } else {
        assert.deepEqual(problems, []);
        const flags = ['cancelled', 'noshow'] as const;
        const shown = rows.map(({ shift, group, person }) =>
          [
            ...[shift.date, shift.start_time, shift.end_time, group, person],
            ...flags.filter((flag) => shift[flag]),
            ...(options?.year === undefined || !shift.end_date ? [] : ['until', shift.end_date]),
          ].join(' '),
        );
        assert.deepEqual(shown, outcome);
        assertAccounted(parts);
      }
    });

  test('only columns whose words are not read are reported as left out', async () => {
    const file =
      'Date,Start,End,Team,Name,Type,Kind\n2027-03-06,9,17,Bar,Ada,Vacation,Early\n2027-03-06,9,17,Bar,Bo,Shift,Late\n';
    const last = (await readSheetText(file, { publishedFrom: '2027-01-01' })).at(-1);
    assert.ok(last !== undefined && 'report' in last);
    assert.deepEqual(last.report?.cells.columns, [
      { heading: 'Kind', column: 6, cells: 2, values: ['Early', 'Late'] },
    ]);
  });

  test('of long texts that are left out, a part is kept', async () => {
    const file = `Date,Start,End,Team,Name,Kind\n2027-03-06,9,17,Bar,Ada,${'long '.repeat(1_000)}\n`;
    const last = (await readSheetText(file, { publishedFrom: '2027-01-01' })).at(-1);
    assert.ok(last !== undefined && 'report' in last);
    assert.equal(last.report?.cells.columns[0]?.values[0]?.length, 300);
  });

  test('a title that dates the days is read, and others are left out', async () => {
    const file =
      'March 2027\nby Zoe\nName,1,2,3,4,5\nAda,9-17,,,,\nApril 2027\nName,1,2,3,4,5\nAda,9-17,,,,\n';
    const last = (await readSheetText(file, { publishedFrom: '2027-01-01', group: 'Bar' })).at(-1);
    assert.ok(last !== undefined && 'report' in last);
    assert.deepEqual(last.report?.cells.rows, [{ why: 'above', rows: 1, cells: 1, values: ['by Zoe'] }]);
  });

  test('names under each day may be locations, or are listed as left out', async () => {
    const file = 'Name,2027-03-08,,2027-03-09,\n,Up,Down,Up,Down\nAda,9-17,,,10-18\n';
    const read = async (sections: 'location' | 'nothing') => {
      const parts = await readSheetText(file, { publishedFrom: '2027-01-01', group: 'Bar', sections });
      const rows = parts.flatMap((part) => ('rows' in part ? part.rows : []));
      const cells = parts.flatMap((part) => ('rows' in part ? (part.report?.cells ?? []) : []))[0];
      return [rows.map(({ location }) => location?.name), cells?.rows];
    };
    const row = { why: 'no shifts', rows: 1, cells: 4, values: ['Up Down Up Down'] };
    assert.deepEqual(await read('location'), [['Up', 'Down'], []]);
    assert.deepEqual(await read('nothing'), [[undefined, undefined], [row]]);
  });

  test('the name of a sheet is no group that is covered, beside a column of groups', async () => {
    const rows = [
      ['Date', 'Start', 'End', 'Team', 'Name'],
      ['2027-03-06', '9:00', '17:00', 'Bar', 'Ada'],
    ];
    const without = rows.map((row) => row.toSpliced(3, 1));
    const file = xlsx([
      { name: 'Anna', rows },
      { name: 'Kitchen', rows: without },
    ]);
    const options = { publishedFrom: '2027-01-01', sheet: 'all', tabs: 'group' } as const;
    const last = (await readSheetText(file, options)).at(-1);
    assert.ok(last !== undefined && 'report' in last);
    assert.deepEqual(
      last.report?.covers.map(({ groups }) => [...groups]),
      [['Bar'], ['Kitchen']],
    );
  });

  test('comments on cells are told as left out', async () => {
    const rows = [
      ['Date', 'Start', 'End', 'Team', 'Name'],
      ['2027-03-06', '9:00', '17:00', 'Bar', 'Ada'],
    ];
    const comment = (cell: string, text: string) =>
      `<comment ref="${cell}"><text><r><rPr><b/></rPr><t>${text}</t></r></text></comment>`;
    const thread = (text: string) => `<threadedComment ref="E2"><text>${text}</text></threadedComment>`;
    const cells = rows.map(
      (row) =>
        `<table:table-row>${row.map((text) => `<table:table-cell>${text === 'Ada' ? '<office:annotation><dc:date>2027</dc:date><text:p>Bo</text:p><text:p>comes</text:p></office:annotation>' : ''}<text:p>${text}</text:p></table:table-cell>`).join('')}</table:table-row>`,
    );
    for (const [file, told] of [
      [
        xlsx([
          {
            name: 'A',
            rows,
            comments: [
              comment('C2', 'till 3') + comment('E2', '[Threaded comment]'),
              thread('Bo comes') + thread('Yes'),
            ],
          },
        ]),
        'Left out 2 comments on cells (C2: till 3, E2: Bo comes).',
      ],
      [
        ods(`<table:table table:name="A">${cells.join('')}</table:table>`),
        'Left out 1 comment on a cell (E2: Bo comes).',
      ],
    ] as const) {
      const last = (await readSheetText(file, { publishedFrom: '2027-01-01' })).at(-1);
      assert.ok(last !== undefined && 'report' in last);
      assert.deepEqual(
        describeReport({ report: last.report } as ImportSummary).filter((one) => one.includes('comment')),
        [told],
      );
    }
  });

  test('most of the usual ones come in right away', () => {
    const refused = USUAL_KINDS.filter(({ outcome }) => 'refused' in outcome).length;
    // A group is nothing that a sheet without one could tell.
    const told = USUAL_KINDS.filter(
      ({ options = {}, outcome }) =>
        Object.keys(options).some((name) => name !== 'group') && !('refused' in outcome),
    ).length;
    assert.ok(USUAL_KINDS.length - refused - told > refused);
  });
});
