/** The recipes of the manual are run as a reader would run them, in each language that is installed. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, type TestContext, test } from 'node:test';
import { newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { skipsWithout } from '../support/installed.ts';
import { putClockBack, startService } from '../support/service.ts';
import { often } from '../support/strength.ts';
import { until } from '../support/until.ts';

const MANUAL = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
/** So many on a day that a week takes two pages. */
const SHIFTS_PER_DAY = 80;
const NEXT = 20;

interface Language {
  /** How its block is marked in the manual. */
  readonly mark: string;
  readonly file: string;
  /** The command that runs a file, at a certain moment if that can be had. */
  command(file: string, nowMs: number): readonly string[];
  /** A command that succeeds when the language is there. */
  readonly probe: readonly string[];
  /** What brings it on Debian. */
  readonly package?: string;
  readonly hasOwnClock: boolean;
}

const JAVASCRIPT: Language = {
  mark: 'js',
  file: 'shifts.mjs',
  command: (file, nowMs) => [process.execPath, '--import', `data:text/javascript,${clockOf(nowMs)}`, file],
  probe: [process.execPath, '--version'],
  hasOwnClock: false,
};
const PYTHON: Language = {
  mark: 'python',
  file: 'shifts.py',
  command: (file, nowMs) => ['python3', '-c', pythonAt(nowMs), file],
  probe: ['python3', '-c', 'import zoneinfo; zoneinfo.ZoneInfo("Pacific/Kiritimati")'],
  hasOwnClock: false,
};
const PHP: Language = {
  mark: 'php',
  file: 'shifts.php',
  command: (file) => ['php', file],
  probe: ['php', '-r', 'exit(PHP_VERSION_ID >= 80000 ? 0 : 1);'],
  package: 'php-cli',
  hasOwnClock: true,
};
const LANGUAGES = [JAVASCRIPT, PYTHON, PHP];

/** Around New Year, where the week's year is not the calendar's, and when it is another day in most zones. */
const MOMENTS: [instant: string, timeZone: string][] = [
  ['2026-11-15T12:00:00Z', 'Europe/Lisbon'],
  ['2026-12-31T11:00:00Z', 'Pacific/Kiritimati'],
  ['2027-01-04T09:00:00Z', 'Pacific/Pago_Pago'],
  ['2024-12-30T12:00:00Z', 'UTC'],
  ['2023-01-01T12:00:00Z', 'UTC'],
];

const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });
const SHIFTS_URL = `${service.url}/acme/api/v1/shifts`;

for (const language of LANGUAGES) {
  test(`the recipe in ${language.mark} lists today, this week and the next ${NEXT}`, async (context) => {
    if (skipsWithout(context, language.probe, language.package)) return;
    putClockBack(context, service);
    const moments = language.hasOwnClock ? [momentOfMachine()] : often(MOMENTS.slice(0, 1), MOMENTS);
    for (const [instant, timeZone] of moments) {
      service.nowMs = Temporal.Instant.from(instant).epochMilliseconds;
      const token = await fill(timeZone);
      const before = expected(timeZone, service.nowMs);
      const { code, stdout, stderr } = await run(context, language, token);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      // A language that looks at its own clock may do so after midnight.
      const allowed = [before, ...(language.hasOwnClock ? [expected(timeZone, Date.now())] : [])];
      assert.ok(allowed.includes(stdout), `${instant} ${timeZone}: ${stdout} instead of ${before}`);
    }
  });

  test(`the recipe in ${language.mark} ends with the sentence of an error, and does not show the token`, async (context) => {
    if (skipsWithout(context, language.probe, language.package)) return;
    const { code, stdout, stderr } = await run(context, language, 'shiftfeed_wrong');
    assert.notEqual(code, 0);
    // PHP writes errors where everything else goes, unless it is told otherwise.
    assert.match(stdout + stderr, /401: Invalid or expired API token/);
    assert.ok(!(stdout + stderr).includes('shiftfeed_wrong'));
  });
}

for (const language of LANGUAGES) {
  test(`the recipe in ${language.mark} hears of changes, until its token is revoked`, async (context) => {
    if (skipsWithout(context, language.probe, language.package)) return;
    await service.import(acme([shift('2026-11-20', { id: 1 })]), { replace: true });
    const token = await service.token('acme');
    const child = await startRecipe(context, language, token, 1);
    context.after(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    const complaints = text(child.stderr);
    await until('it says how many there are', () => lines.length === 1);
    await service.import(acme([shift('2026-11-21', { id: 2 })]));
    await until('it hears of the change', () => lines.length === 2);
    assert.deepEqual(lines, ['1 shifts', '2 shifts']);
    const { id } = (await service.store.tokens()).at(-1) ?? { id: 0 };
    await service.store.revokeToken(id, 1);
    await until('it ends', () => child.exitCode !== null);
    assert.match(await complaints, /401: Invalid or expired API token/);
  });
}

/** The account with many shifts on each day around now, and a token of it. */
async function fill(timeZone: string): Promise<string> {
  const today = dateIn(timeZone, service.nowMs);
  const days = Array.from({ length: 29 }, (_, i) => today.add({ days: i - 14 }).toString());
  const shifts = days.flatMap((date) =>
    Array.from({ length: SHIFTS_PER_DAY }, (_, i) => shift(date, { id: idOf(date, i) })),
  );
  const account = { slug: 'acme', premium: true, time_zone: timeZone };
  await service.import(acme(shifts, { account }), { replace: true });
  return service.token('acme');
}

/** Three lines, as the manual says. */
function expected(timeZone: string, nowMs: number): string {
  const today = dateIn(timeZone, nowMs);
  const idsOn = (day: Temporal.PlainDate) =>
    Array.from({ length: SHIFTS_PER_DAY }, (_, i) => idOf(day.toString(), i));
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const week = Array.from({ length: 7 }, (_, i) => idsOn(monday.add({ days: i }))).flat();
  assert.ok(week.length > 500, 'more than a page');
  return [idsOn(today), week, idsOn(today).slice(0, NEXT)].map((ids) => `${ids.join(' ')}\n`).join('');
}

function idOf(date: string, index: number): number {
  return Number(date.replaceAll('-', '')) * 1_000 + index;
}

function dateIn(timeZone: string, nowMs: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone).toPlainDate();
}

/** Now, and a zone in which it is another day than in UTC. */
function momentOfMachine(): [instant: string, timeZone: string] {
  const now = Temporal.Now.instant();
  const isLate = now.toZonedDateTimeISO('UTC').hour >= 11;
  return [now.toString(), isLate ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago'];
}

/** Starts a recipe: the first of its language lists, the second listens. */
async function startRecipe(context: TestContext, language: Language, token: string, number: 0 | 1) {
  const blocks = MANUAL.matchAll(new RegExp(`^\`\`\`${language.mark}\n(.*?)^\`\`\`$`, 'gms'));
  const codes = Array.from(blocks, ([, code = '']) => code);
  assert.equal(codes.length, 2, `two blocks of ${language.mark}`);
  const file = join(await newFolder(context), language.file);
  await writeFile(file, codes[number] ?? '');
  const [program = '', ...args] = language.command(file, service.nowMs);
  return spawn(program, args, {
    env: { PATH: process.env.PATH, SHIFTS_URL, SHIFTS_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(context: TestContext, language: Language, token: string, number: 0 | 1 = 0) {
  const child = await startRecipe(context, language, token, number);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** A clock for JavaScript that stands still. */
function clockOf(nowMs: number): string {
  return encodeURIComponent(
    `const Real = Date; globalThis.Date = class extends Real {
      constructor(...args) { super(...(args.length === 0 ? [${nowMs}] : args)); }
    }`,
  );
}

/** Runs a file of Python under a clock that stands still. */
function pythonAt(nowMs: number): string {
  return `
import datetime, sys
class Fixed(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return real.fromtimestamp(${nowMs / 1000}, tz)
real, datetime.datetime = datetime.datetime, Fixed
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"))`;
}
