/** An import that is taken back leaves the account exactly as it was. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { after, describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { examine } from '../../src/doctor/examine.ts';
import { exportAccount } from '../../src/export/export.ts';
import { importParts } from '../../src/import/import.ts';
import { ImportProblems } from '../../src/import/problems.ts';
import { undoImport } from '../../src/import/undo.ts';
import { openServerStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { start } from '../support/cli.ts';
import { DATABASES, type DatabaseKind, pathOf, postgresProgram, runSql } from '../support/database.ts';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { isLong, often } from '../support/strength.ts';
import { until } from '../support/until.ts';
import { importer } from './importer.ts';
import { documents, START } from './random-document.ts';
import { readText } from './reading.ts';

const NOW = '2026-11-15T12:00:00Z';
const QUERY = '?date_from=1000-01-01&published=false';

const settings = fc.record(
  {
    name: fc.constantFrom('Acme', 'Acme & Söhne'),
    premium: fc.boolean(),
    time_zone: fc.constantFrom('UTC', 'Asia/Tokyo'),
    sort: fc.constantFrom('time', 'group'),
  },
  { requiredKeys: [] },
);
const step = fc.record({
  account: settings,
  document: documents(false),
  removal: fc.constantFrom(
    {},
    { replace: true },
    { replaceShifts: { from: '2026-12-02', to: '2026-12-31' } },
  ),
});

const SURELY_CHANGES = (['Acme', 'Acme & Söhne'] as const).map((name) => ({
  account: { name },
  document: {},
  removal: {},
}));

test('whatever is imported after whatever else, undo gives the listing, the export and the diagnosis of before', async () => {
  const services = await Promise.all(
    DATABASES.slice(0, often(1, 2)).map((database) => startService({ after }, { now: NOW, database })),
  );
  let runs = 0;
  let undone = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
      const slug = `any-${++runs}`;
      for (const service of services) {
        const { store } = service;
        await service.import({ account: { slug, premium: true }, ...START });
        const token = await service.token(slug);
        const look = async () => ({
          listing: await (await service.get(slug, QUERY, token)).text(),
          export: await exported(store, slug),
          diagnosis: await examine(store, () => '2026-11-15', service.nowMs),
        });
        for (const { account, document, removal } of steps) {
          const before = await look();
          const parts = await readText(JSON.stringify({ account: { slug, ...account }, ...document }));
          const isImported = await importParts(store, parts, {
            replace: false,
            dryRun: false,
            ...removal,
          }).then(
            () => true,
            (error) => {
              assert.ok(error instanceof ImportProblems);
              return false;
            },
          );
          const imported = await look();
          if (!isImported || isSame(imported, before)) continue;
          await undoImport(store, slug, 'Noor');
          assert.deepEqual(await look(), before);
          undone++;
          // And on from there, as if it had never been imported.
          await importParts(
            store,
            await readText(JSON.stringify({ account: { slug, ...account }, ...document })),
            { replace: false, dryRun: false, ...removal },
          );
          assert.deepEqual(await look(), imported);
        }
      }
    }),
    // Few runs may by chance have little to undo.
    { numRuns: often(4, 40), examples: [[SURELY_CHANGES]] },
  );
  assert.ok(undone > often(1, runs), `${undone} imports were undone`);
});

function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

async function exported(store: Store, slug: string): Promise<string> {
  const text = await store.readAccount(slug, async (reading) =>
    (await Array.fromAsync(exportAccount(reading, 'json', () => undefined))).join(''),
  );
  return text ?? 'no account';
}

const PLAN = acme([shift('2026-12-01', { id: 1, person_id: 3 })], {
  groups: [KITCHEN, { id: 2, name: 'Unused' }],
  people: [
    { id: 3, name: 'Noor' },
    { id: 4, name: 'Unused' },
  ],
});
const NEXT = acme([shift('2026-12-02', { id: 2 })]);

for (const kind of DATABASES)
  describe(`Undo on ${kind}`, () => {
    const others: Readonly<Record<string, (database: Database) => Promise<unknown>>> = {
      'a shift': ({ sql }) => sql("UPDATE shifts SET remarks = 'new' WHERE id = 1"),
      'an unused group': ({ sql }) => sql("UPDATE groups SET name = 'New' WHERE id = 2"),
      'a new group': ({ sql }) => sql("INSERT INTO groups (account_id, id, name) VALUES (1, 9, 'New')"),
      'whether a group is private': ({ sql }) => sql('UPDATE groups SET private = true WHERE id = 1'),
      'an unused person': ({ store }) => store.change('people', 1, 4, { name: 'New' }),
      'the name of the account': ({ sql }) => sql("UPDATE accounts SET name = 'New'"),
      'whether the account is premium': ({ sql }) => sql('UPDATE accounts SET premium = false'),
      'the time zone': ({ sql }) => sql("UPDATE accounts SET time_zone = 'Asia/Tokyo'"),
      'a person and back': async ({ store }) => {
        await store.change('people', 1, 4, { name: 'New' });
        await store.change('people', 1, 4, { name: 'Unused' });
      },
    };

    test('is refused when somebody else has changed anything of the account since', async (t) => {
      const database = await openDatabase(t, kind);
      for (const [what, change] of Object.entries(others)) {
        await database.run(PLAN, { replace: true });
        await database.run(NEXT);
        await change(database);
        const before = await database.look();
        await assert.rejects(
          undoImport(database.store, 'acme', 'me'),
          /^StoreFailure: The import at .* cannot be taken back: the account acme was changed since, and that would be lost\.$/,
          what,
        );
        assert.deepEqual(await database.look(), before, what);
      }
    });

    test('goes on after changes that changed nothing', async (t) => {
      const { run, store, look } = await openDatabase(t, kind);
      await run(PLAN);
      const { text } = await look();
      await run(NEXT);
      await store.change('groups', 1, 1, KITCHEN);
      await store.change('people', 1, 3, { name: 'Noor' });
      await undoImport(store, 'acme', 'me');
      assert.equal((await look()).text, text);
    });

    test('goes on after tokens were made, and after the same was imported again', async (t) => {
      const { run, store, look } = await openDatabase(t, kind);
      await run(PLAN);
      const { text } = await look();
      await run(NEXT);
      await run(NEXT);
      await store.addToken({
        accountId: 1,
        hash: 'a'.repeat(64),
        label: '',
        createdAtMs: 0,
        expiresAtMs: null,
      });
      await undoImport(store, 'acme', 'me');
      assert.equal((await look()).text, text);
      assert.equal((await store.tokens(1)).length, 1);
      await assert.rejects(undoImport(store, 'acme', 'me'), /was taken back already/);
      assert.deepEqual(await run(NEXT).then(({ tables }) => tables.shifts.added), 1);
    });

    test('empties an account that the import has made', async (t) => {
      const { run, store, plan } = await openDatabase(t, kind);
      await run(PLAN);
      const summary = await undoImport(store, 'acme', 'me');
      assert.equal(summary?.undone.counts.account, 'added');
      const { shifts, groups, people } = (await plan()) as Record<string, unknown>;
      assert.deepEqual({ shifts, groups, people }, { shifts: 0, groups: 0, people: 0 });
    });

    test('that the database refuses half-way changes nothing, and works later', async (t) => {
      const { run, store, look, sql } = await openDatabase(t, kind);
      const half = kind === 'sqlite' ? often(300, MORE_THAN_AT_ONCE) : 300;
      const many = Array.from({ length: 2 * half }, (_, i) => shift('2026-12-01', { id: i + 1 }));
      await run(acme(many, { people: [{ id: 3, name: 'Noor' }] }));
      const before = await look();
      const moved = many
        .slice(0, half)
        .map((one) => ({ ...one, date: '2026-12-02', end_date: '2026-12-02' }));
      const added = Array.from({ length: half }, (_, i) => shift('2027-01-01', { id: LAST_ID - i }));
      await run(acme([...moved, ...added], { account: { ...ACME, sort: 'group' } }), { replace: true });
      const after = await look();
      const [refuse, allow] = REFUSALS[kind];
      await sql(refuse);
      await assert.rejects(undoImport(store, 'acme', 'me'), /not this one/);
      assert.deepEqual(await look(), after);
      await sql(allow);
      const summary = await undoImport(store, 'acme', 'me');
      const tally = { added: half, changed: half, removed: half, unchanged: 0 };
      assert.deepEqual(summary?.counts.tables.shifts, tally);
      assert.equal((await look()).text, before.text);
    });

    test('of which only a part was kept changes nothing', async (t) => {
      const { run, store, look, sql } = await openDatabase(t, kind);
      await run(PLAN);
      await run(NEXT, { replace: true });
      const before = await look();
      await sql('DELETE FROM replaced_records WHERE piece = (SELECT max(piece) FROM replaced_records)');
      await assert.rejects(undoImport(store, 'acme', 'me'), /cannot be taken back: .* is not whole\.$/);
      assert.deepEqual(await look(), before);
    });

    test('and imports that the database carries out only in part change nothing', async (t) => {
      const { run, store, look, sql } = await openDatabase(t, kind);
      const [first, second] = [shift('2026-12-01', { id: 1 }), shift('2026-12-01', { id: 2 })];
      await run(acme([first, second]));
      const cases = [
        ['added', 'INSERT', acme([shift('2026-12-01', { id: 3 })])],
        ['changed', 'UPDATE', acme([{ ...first, remarks: 'new' }])],
        ['removed', 'DELETE', acme([second])],
      ] as const;
      for (const [what, event, document] of cases) {
        const before = await look();
        const [lose, restore] = LOSSES[kind](event);
        await sql(lose);
        const lost = new RegExp(`^Error: of shifts, 1 were to be ${what}, but 0 were: nothing was changed$`);
        await assert.rejects(run(document, { replace: what === 'removed' }), lost);
        assert.deepEqual(await look(), before, what);
        await sql(restore);
      }
      await run(acme([second]), { replace: true });
      const after = await look();
      // On PostgreSQL, other programs may write groups while the account is locked.
      const [loseGroups, restoreGroups] = LOSSES[kind]('INSERT', 'groups');
      await sql(loseGroups);
      const said =
        kind === 'postgres'
          ? /^StoreFailure: Another program has changed groups of the account meanwhile: nothing was written, try again\.$/
          : /^Error: of groups, 1 were to be added, but 0 were/;
      await assert.rejects(run(acme([], { groups: [{ id: 7, name: 'Bar' }] })), said);
      assert.deepEqual(await look(), after);
      await sql(restoreGroups);
      const [lose] = LOSSES[kind]('INSERT');
      await sql(lose);
      await assert.rejects(undoImport(store, 'acme', 'me'), /of shifts, 1 were to be added, but 0 were/);
      assert.deepEqual(await look(), after);
    });

    test('forgets what was replaced as soon as somebody is renamed, merged or removed', async (t) => {
      const { run, store, kept } = await openDatabase(t, kind);
      const ways = [
        () => store.change('people', 1, 3, { name: 'Noor Bakker' }),
        () => store.merge('people', 1, 4, 3),
        () => store.remove('people', 1, 3),
        // Somebody whom the import has removed.
        () => store.forgetReplaced(1, 'Noor'),
      ];
      for (const change of ways) {
        await run(PLAN, { replace: true });
        await run(acme([], { people: [{ id: 3, name: 'Noor Smit' }] }));
        assert.equal(await kept(), 1);
        await change();
        assert.equal(await kept(), 0);
        await assert.rejects(undoImport(store, 'acme', 'me'), /was changed since/);
      }
    });

    test('finds whom the last import has removed or renamed', async (t) => {
      const { run, store } = await openDatabase(t, kind);
      await run(PLAN);
      await run(acme([shift('2026-12-01', { id: 1 })], { people: [{ id: 3, name: 'Noor Smit' }] }), {
        replace: true,
      });
      const find = (name: string) => store.findReplaced('people', 1, (person) => person.name === name);
      assert.deepEqual(await find('Noor'), { id: 3, name: 'Noor' });
      assert.deepEqual(await find('Unused'), { id: 4, name: 'Unused' });
      assert.equal(await find('Noor Smit'), undefined);
    });

    test('is offered at once without reading everybody, and refused if somebody else was changed meanwhile', async (t) => {
      const { run, store, sql } = await openDatabase(t, kind);
      await run(PLAN);
      await run(NEXT);
      const [entry] = await store.history(1);
      const offered = { entry, refusal: undefined, settings: undefined };
      assert.deepEqual(await store.lastChangeAtOnce(1), offered);
      await sql("UPDATE people SET name = 'Other' WHERE id = 4");
      assert.deepEqual(await store.lastChangeAtOnce(1), offered, 'people are not read');
      assert.equal((await store.lastChange(1))?.refusal, 'changed');
      await assert.rejects(undoImport(store, 'acme', 'me'), /was changed since/);
      await sql("UPDATE accounts SET name = 'Other'");
      assert.equal((await store.lastChangeAtOnce(1))?.refusal, 'changed');
    });

    test('has the last thousand entries of a year, whether anything is imported or not', async (t) => {
      const { url, run, store, sql, kept } = await openDatabase(t, kind);
      const server = await openServerStore(url);
      t.after(() => server.close());
      await run(PLAN);
      const columns = 'account_id, at, action, who, file, has_changed, counts, revision, state';
      const more = (at: string, file: string, count: number) =>
        `INSERT INTO import_history (${columns}) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        SELECT account_id, ${at}, action, who, '${file}', has_changed, counts, revision, state FROM import_history, n WHERE id = 1`;
      const daysAgo = (days: number) => `at - ${days * 24 * 3_600_000}`;
      const files = async () => new Set((await store.history(1)).map(({ file }) => file));
      await sql(more(daysAgo(367), 'over a year', 25));
      await sql(more(daysAgo(365), 'a year', 1));
      await run(NEXT);
      assert.deepEqual(await files(), new Set(['', 'a year']));
      await sql(more('at', 'other', 1_500));
      await run(PLAN, { replace: true });
      const entries = await store.history(1);
      assert.equal(entries.length, 1_000);
      assert.deepEqual(entries[0]?.counts.tables.shifts, { added: 0, changed: 0, removed: 1, unchanged: 1 });
      assert.deepEqual(
        entries.slice(1).map(({ id }) => id),
        Array.from({ length: 999 }, (_, i) => (entries[0]?.id ?? 0) - 1 - i),
      );

      await sql(`UPDATE import_history SET at = ${daysAgo(365)}`);
      assert.equal(await kept(), 1);
      await server.forgetOldImports();
      assert.equal((await store.history(1)).length, 1_000);
      await sql(`UPDATE import_history SET at = ${daysAgo(2)}`);
      await server.forgetOldImports();
      assert.equal((await store.history(1)).length, 0);
      assert.equal(await kept(entries[0]?.id), 0);
    });
  });

if (isLong) {
  test('an import that replaces more than is kept says before and after it that it cannot be taken back', async (t) => {
    const { run, store, kept } = await openDatabase(t, 'sqlite');
    const remarks = () => randomBytes(7_500).toString('base64');
    const many = Array.from({ length: 2_400 }, (_, i) =>
      shift('2026-12-01', { id: i + 1, remarks: remarks() }),
    );
    assert.equal((await run(acme(many))).undoRefusal, undefined, 'what is new takes no room');
    assert.equal((await run(acme([]), { replace: true, dryRun: true })).undoRefusal, 'size');
    assert.equal((await run(acme([]), { replace: true })).undoRefusal, 'size');
    assert.equal(await kept(), 0);
    await assert.rejects(undoImport(store, 'acme', 'me'), /what it replaced was too large to be kept/);
  });

  test('undo that is killed half-way changes nothing, and works the next time', async (t) => {
    const { url, run, store, look } = await openDatabase(t, 'sqlite');
    // More than SQLite's page cache holds, so that the log grows long before the undo commits.
    const remarks = 'x'.repeat(9_900);
    const many = Array.from({ length: 7_500 }, (_, i) => shift('2026-12-01', { id: i + 1, remarks }));
    await run(acme(many));
    const before = await look();
    await run(acme([shift('2026-12-01', { id: 1 })]), { replace: true });
    const after = await look();
    const log = `${pathOf(url)}-wal`;
    const child = start(['undo', 'acme'], { databaseUrl: url });
    t.after(() => {
      child.kill('SIGKILL');
    });
    const exit = once(child, 'exit');
    const size = () => statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    const first = size();
    await until('it writes, or has ended', () => child.exitCode !== null || size() >= first + 1024 * 1024);
    child.kill('SIGKILL');
    assert.deepEqual(await exit, [null, 'SIGKILL']);
    assert.deepEqual(await look(), after);
    await undoImport(store, 'acme', 'me');
    assert.equal((await look()).text, before.text);
  });
}

test('an account without an import has nothing to undo', async (t) => {
  const { store, sql } = await openDatabase(t, 'sqlite');
  await sql("INSERT INTO accounts (slug, name) VALUES ('acme', 'Acme')");
  await assert.rejects(
    undoImport(store, 'acme', 'me'),
    /There is no import into acme that could be taken back/,
  );
  assert.equal(await undoImport(store, 'nobody', 'me'), undefined);
});

/** More than SQLite writes at a time. */
const MORE_THAN_AT_ONCE = 5_500;
const LAST_ID = 99_999;

/** Statements that make the database refuse what an undo does last, and that end this. */
const REFUSALS: Readonly<Record<DatabaseKind, readonly [string, string]>> = {
  sqlite: [
    `CREATE TRIGGER refuse BEFORE DELETE ON shifts WHEN OLD.id = ${LAST_ID} BEGIN SELECT RAISE(ABORT, 'not this one'); END`,
    'DROP TRIGGER refuse',
  ],
  postgres: [
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
    CREATE TRIGGER refuse BEFORE DELETE ON shifts FOR EACH ROW WHEN (OLD.id = ${LAST_ID}) EXECUTE FUNCTION refuse()`,
    'DROP TRIGGER refuse ON shifts; DROP FUNCTION refuse',
  ],
};

/** Statements that make the database leave out rows without a word, and that end this. */
const LOSSES: Readonly<Record<DatabaseKind, (event: string, table?: string) => readonly [string, string]>> = {
  sqlite: (event, table = 'shifts') => [
    `CREATE TRIGGER lose BEFORE ${event} ON ${table} BEGIN SELECT RAISE(IGNORE); END`,
    'DROP TRIGGER lose',
  ],
  postgres: (event, table = 'shifts') => [
    `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER lose BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION lose()`,
    `DROP TRIGGER lose ON ${table}; DROP FUNCTION lose`,
  ],
};

type Database = Awaited<ReturnType<typeof openDatabase>>;

async function openDatabase(t: TestContext, kind: DatabaseKind) {
  const opened = await importer(t, kind);
  const { url, store } = opened;
  const program = kind === 'postgres' ? await postgresProgram(t, url) : undefined;
  return {
    ...opened,
    async sql(statements: string): Promise<void> {
      if (program === undefined) runSql(url, statements);
      else await program.query(statements);
    },
    /** Everything that an undo could change. */
    async look() {
      const { revision } = await store.describeAccount(1);
      return { text: await exported(store, 'acme'), revision, history: await store.history(1) };
    },
    /** How many pieces of what was replaced are kept, by the last import or by that one. */
    async kept(entryId?: number): Promise<number> {
      return store.stage(async (stage) => {
        const [entry] = await store.history(1);
        return (await Array.fromAsync(stage.replacedBy(entryId ?? entry?.id ?? 0))).length;
      });
    },
  };
}
