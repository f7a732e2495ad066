import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { type ExportFormat, exportAccount } from '../../src/export/export.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { importer } from '../import/importer.ts';
import { DATABASES } from '../support/database.ts';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';
import { often } from '../support/strength.ts';

const PIER = { id: 7, name: 'Pier', address: 'Long Pier 4\nBack door' };
const NOOR = { id: 31, name: 'Noor' };
const HEADINGS =
  'id,date,start_time,end_time,end_date,group,location,address,person,publish_date,remarks,starred,cancelled,noshow';

async function exported(store: Store, format: ExportFormat) {
  const notices: string[] = [];
  const text = await store.readAccount('acme', async (reading) =>
    (await Array.fromAsync(exportAccount(reading, format, (sentence) => notices.push(sentence)))).join(''),
  );
  assert.ok(text !== undefined);
  return { text, notices };
}

for (const kind of DATABASES.slice(0, often(1, 2)))
  describe(`An export from ${kind}`, () => {
    async function storeWith(context: TestContext, document: object): Promise<Store> {
      const { run, store } = await importer(context, kind);
      await run(document);
      return store;
    }

    test('is the import document by id, with everything said and a record a line', async (context) => {
      const shifts = [
        shift('2027-01-01', { id: 9007199254740991, location_id: 7, person_id: 31, starred: true }),
        shift('2027-02-01', { id: 2, remarks: 'Say "hi"' }),
      ];
      const office = { id: 3, name: 'Office', active: false, private: true };
      const document = acme(shifts, { groups: [office, KITCHEN], locations: [PIER], people: [NOOR] });
      const { text, notices } = await exported(await storeWith(context, document), 'json');
      assert.deepEqual(notices, []);
      const lines = (records: object[]) => records.map((record) => JSON.stringify(record)).join(',\n');
      assert.equal(
        text,
        `{\n"account": ${JSON.stringify(ACME)},\n"groups": [\n${lines([KITCHEN, office])}\n],\n` +
          `"locations": [\n${lines([PIER])}\n],\n"people": [\n${lines([NOOR])}\n],\n` +
          `"shifts": [\n${lines(shifts.toReversed())}\n]\n}\n`,
      );
    });

    test('of an empty account is a document, or headings', async (context) => {
      const store = await storeWith(context, { account: ACME });
      const { text } = await exported(store, 'json');
      assert.deepEqual(JSON.parse(text), {
        account: ACME,
        groups: [],
        locations: [],
        people: [],
        shifts: [],
      });
      assert.deepEqual(await exported(store, 'csv'), { text: `${HEADINGS}\n`, notices: [] });
    });

    test('as CSV has names, and quotes what a reader could take for something else', async (context) => {
      const shifts = [
        shift('2027-01-01', {
          id: 1,
          location_id: 7,
          person_id: 31,
          starred: true,
          publish_date: '2026-11-01',
        }),
        shift('2027-01-02', { id: 2, end_time: '01:00', end_date: '2027-01-03', remarks: ' Say "hi", all' }),
        shift('2027-01-03', { id: 3, remarks: 'a;b', noshow: true, cancelled: true }),
        shift('2027-01-04', { id: 4, remarks: 'One\rtwo' }),
        shift('2027-01-05', { id: 5, remarks: 'One\ttwo' }),
      ];
      const store = await storeWith(context, acme(shifts, { locations: [PIER], people: [NOOR] }));
      assert.deepEqual(await exported(store, 'csv'), {
        text: [
          HEADINGS,
          '1,2027-01-01,09:00,17:00,2027-01-01,Kitchen,Pier,"Long Pier 4',
          'Back door",Noor,2026-11-01,,true,false,false',
          '2,2027-01-02,09:00,01:00,2027-01-03,Kitchen,,,,2000-01-01," Say ""hi"", all",false,false,false',
          '3,2027-01-03,09:00,17:00,2027-01-03,Kitchen,,,,2000-01-01,"a;b",false,true,true',
          '4,2027-01-04,09:00,17:00,2027-01-04,Kitchen,,,,2000-01-01,"One\rtwo",false,false,false',
          '5,2027-01-05,09:00,17:00,2027-01-05,Kitchen,,,,2000-01-01,"One\ttwo",false,false,false',
          '',
        ].join('\n'),
        notices: [],
      });
    });

    test('as CSV tells what a CSV cannot say', async (context) => {
      const groups = [
        KITCHEN,
        { id: 4, name: 'Kitchen' },
        { id: 5, name: 'Closed', active: false },
        { id: 6, name: 'Office', private: true },
      ];
      const people = [NOOR, { id: 32, name: 'NOOR' }];
      // Addresses tell these apart.
      const locations = [PIER, { id: 8, name: 'Pier', address: '' }];
      const shifts = [
        shift('2027-01-01', { group_id: 5 }),
        shift('2027-01-02'),
        shift('2027-01-03', { group_id: 6 }),
        shift('2027-01-04', { group_id: 6 }),
      ];
      const store = await storeWith(context, acme(shifts, { groups, locations, people }));
      const { notices } = await exported(store, 'csv');
      assert.deepEqual(notices, [
        'Some groups have the same name (such as 1 and 4): a CSV cannot tell them apart, and an import makes one of them.',
        'Some people have the same name (such as 31 and 32): a CSV cannot tell them apart, and an import makes one of them.',
        'One shift is of inactive groups, which a CSV cannot say: where such a group is new, an import lists them.',
        '2 shifts are of private groups, which a CSV cannot say: where such a group is new, an import makes it public.',
      ]);
      assert.deepEqual((await exported(store, 'json')).notices, []);
    });

    test('as CSV keeps what looks like a formula, and tells of it', async (context) => {
      const shifts = [
        shift('2027-01-01', { id: 1, remarks: '1 - 2 = x' }),
        shift('2027-01-02', { id: 2, person_id: 31 }),
        shift('2027-01-03', { id: 3, remarks: '=HYPERLINK("http://127.0.0.1")' }),
      ];
      const people = [{ id: 31, name: '@noor' }];
      const { text, notices } = await exported(await storeWith(context, acme(shifts, { people })), 'csv');
      assert.match(text, /"=HYPERLINK\(""http/);
      assert.deepEqual(notices, [
        'Some cells begin with =, +, -, @ or a tab, or go on with one after a semicolon or a line break (the first are of the shift 2): a spreadsheet takes that for a formula, so open the file in one only if you trust whoever wrote them.',
      ]);
    });

    test('as CSV tells of formulas that show themselves where semicolons separate cells', async (context) => {
      const split = ['a;=1+1', 'a; "=1+1"', 'a\n-1', 'a\t@b', 'a;＝1', 'a\r\n\t+1'];
      const harmless = ['a;b=1', 'a, =1+1', 'one - two', 'a@b;c', 'a;\nb'];
      for (const [remarks, isTold] of [
        ...split.map((text) => [text, true] as const),
        ...harmless.map((text) => [text, false] as const),
      ]) {
        const store = await storeWith(context, acme([shift('2027-01-01', { id: 1, remarks })]));
        const { notices } = await exported(store, 'csv');
        assert.equal(notices.length === 1, isTold, JSON.stringify(remarks));
      }
    });

    test('shows one state, whatever is written meanwhile', async (context) => {
      const { url, run } = await importer(context, kind);
      await run(acme([shift('2027-01-01', { id: 1 })]));
      const store = await openStore(url, { missing: 'fail', readOnly: true });
      context.after(() => store.close());
      const seen = await store.readAccount('acme', async ({ records }) => {
        const groups = await Array.fromAsync(records('groups'));
        await run(acme([shift('2027-01-01', { id: 1, remarks: 'new' }), shift('2027-01-02', { id: 2 })]));
        return { groups, shifts: await Array.fromAsync(records('shifts')) };
      });
      assert.deepEqual(seen?.groups, [[KITCHEN]]);
      assert.deepEqual(seen?.shifts, [[shift('2027-01-01', { id: 1 })]]);
      assert.match((await exported(store, 'json')).text, /"remarks":"new"/);
    });
  });

test('a shift of a group that is not there is exported, and told', async (context) => {
  const { url, run, store } = await importer(context);
  await run(acme([shift('2027-01-01', { id: 1 }), shift('2027-01-02', { id: 2 })]));
  const program = new DatabaseSync(url.slice('sqlite:'.length), { enableForeignKeyConstraints: false });
  program.exec('UPDATE shifts SET group_id = 9 WHERE id = 2');
  program.close();
  for (const [format, line] of [
    ['json', /"id":2,.*"group_id":9,/],
    ['csv', /^2,2027-01-02,09:00,17:00,2027-01-02,,,,,/m],
  ] as const) {
    const { text, notices } = await exported(store, format);
    assert.match(text, line);
    assert.deepEqual(notices, [
      'Shift 2 refers to a group, location or person that is not there, and an import would refuse that: ' +
        '"shiftfeed doctor" tells more.',
    ]);
  }
});
