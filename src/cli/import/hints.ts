/**
 * The command lines that would solve the problems of a sheet, ready to be pasted. Each is tried before it is shown: what
 * it would leave out is told, and so is what would still be wrong.
 */

import { InvalidValue } from '../../import/fields.ts';
import { type ImportValues, keyOf, OPTION_NAMES, optionOf } from '../../import/options.ts';
import { describeProblem, type ImportProblem } from '../../import/problems.ts';
import type { SheetReport } from '../../import/sheet/report.ts';
import type { Fix } from '../../store/records.ts';
import { calledAs } from '../called-as.ts';
import { named } from './describe.ts';

/** What reading the file with other options tells; undefined: it cannot be tried. */
export type TryOut = (values: ImportValues) => Promise<Trial | undefined>;

export interface Trial {
  readonly problems: readonly ImportProblem[];
  /** undefined: the sheet could not be read to its end. */
  readonly report: SheetReport | undefined;
}

/** So often, the fixes of the problems that a trial shows are added: some are found only when others are solved. */
const MAX_ROUNDS = 3;

const MAX_LATER = 10;

/** `words` are the arguments as they were typed after `import`, and `given` what they say. */
export async function hintsFor(
  known: readonly ImportProblem[],
  more: readonly Fix[],
  words: readonly string[],
  given: ImportValues,
  tryOut: TryOut,
): Promise<readonly string[]> {
  const fixes = [...more, ...fixesOf(known)];
  const later: ImportProblem[] = [];
  if (fixes.length === 0) return [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const [first] = waysToFix(words, fixes);
    const trial = first && (await tryOut(valuesWith(given, first)));
    const news = (trial?.problems ?? []).filter(
      ({ fix }) => fix !== undefined && !fixes.some((one) => isSame(one, fix)),
    );
    if (news.length === 0) break;
    fixes.push(...fixesOf(news));
    later.push(...news);
  }
  const lines = later.slice(0, MAX_LATER).map((problem) => `  then ${describeProblem(problem)}`);
  for (const [i, way] of waysToFix(words, fixes).entries()) {
    lines.push(`${i === 0 ? 'Try:' : 'Or: '} ${commandWith(words, way)}`);
    const trial = await tryOut(valuesWith(given, way));
    if (trial !== undefined)
      lines.push(...whatCameOf(trial, [...known, ...later], way).map((line) => `     ${line}`));
  }
  return lines;
}

export function fixesOf(problems: readonly ImportProblem[]): readonly Fix[] {
  return problems.flatMap(({ fix }) => (fix ? [fix] : []));
}

function isSame(one: Fix, other: Fix): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function whatCameOf({ problems, report }: Trial, known: readonly ImportProblem[], way: readonly Way[]) {
  const told = new Set(known.map(describeProblem));
  const [problem] = problems.filter((one) => !told.has(describeProblem(one)));
  // What is to be filled in may solve it.
  if (problem !== undefined && !way.some(([, value]) => PLACEHOLDER.test(value)))
    return [`It then tells: ${describeProblem(problem)}`];
  if (report === undefined || report.leftOut.length === 0) return [];
  return [`It leaves out the ${named(report.leftOut, 'column', 'columns')}.`];
}

/** What a human has to fill in, and what stands for it in a trial. */
const PLACEHOLDER = /\b(?:NAME|YEAR|HH:MM-HH:MM)\b/;
const FILLED_IN: Readonly<Record<string, string>> = {
  NAME: 'name',
  YEAR: '2027',
  'HH:MM-HH:MM': '09:00-17:00',
};

/** What the options are with those of a way. */
function valuesWith(given: ImportValues, way: readonly Way[]): ImportValues {
  const values: Record<string, unknown> = { ...given };
  for (const [key, value] of way) {
    const name = OPTION_NAMES.find((one) => `--${keyOf(one)}` === key);
    if (name === undefined) continue;
    const text = value.replaceAll(new RegExp(PLACEHOLDER, 'g'), (word) => FILLED_IN[word] ?? word);
    const { fromText, isDay } = optionOf(name);
    try {
      values[name] = isDay ? '2027-01-01' : fromText(text, values[name]);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
    }
  }
  return values;
}

/** If only a human can tell which command is right, at most this many are shown. */
const MAX_COMMANDS = 3;

/** The options that would solve the problems. If there are several ways, one of them is right. */
function waysToFix(words: readonly string[], fixes: readonly Fix[]): readonly (readonly Way[])[] {
  const all = fixes.map(waysOf);
  const count = Math.min(MAX_COMMANDS, Math.max(0, ...all.map((ways) => ways.length)));
  const ways = Array.from({ length: count }, (_, i) =>
    together(all.map((some) => some[i] ?? some[0])).filter(
      ([option]) => LISTS.has(option) || !words.includes(option),
    ),
  );
  const byText = new Map(ways.filter((way) => way.length > 0).map((way) => [JSON.stringify(way), way]));
  return [...byText.values()];
}

function commandWith(words: readonly string[], way: readonly Way[]): string {
  return [...calledAs(), 'import', ...withoutSecrets(words), ...way.flat()].map(quoted).join(' ');
}

/** An option and its value. */
type Way = readonly [option: string, value: string];

function waysOf([option, value, ...others]: Fix): readonly [Way, ...Way[]] {
  return [[option, value], ...others.map((other): Way => (isString(other) ? [option, other] : other))];
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** Options that take several values, and may be given several times. */
const LISTS: ReadonlySet<string> = new Set(
  OPTION_NAMES.filter((name) => optionOf(name).join).map((name) => `--${keyOf(name)}`),
);

/** Merges the options so that each occurs once. If an option has two values, the first counts; lists take all. */
function together(ways: readonly Way[]): readonly Way[] {
  const byOption = new Map<string, string>();
  for (const [option, value] of ways) {
    const known = byOption.get(option);
    if (known === undefined) byOption.set(option, value);
    else if (LISTS.has(option) && !known.split(',').includes(value))
      byOption.set(option, `${known},${value}`);
  }
  return [...byOption];
}

/** The address of a database may hold a password. */
function withoutSecrets(given: readonly string[]): readonly string[] {
  return given.map((word) => word.replace(/(postgres(?:ql)?:\/\/).*/, '$1…'));
}

function quoted(word: string): string {
  return /^[\w=./:,+@…-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
