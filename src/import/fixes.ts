/**
 * The options that would solve the problems of a sheet. They are tried before anybody is asked: some questions are found
 * only when others are answered.
 */

import type { Fix } from '@shiftfeed/common/reason';
import type { SheetReport } from '@shiftfeed/sheets';
import { InvalidValue } from './fields.ts';
import { type ImportValues, nameOfKey, optionOf } from './options.ts';
import type { ImportProblem } from './problems.ts';

/** What reading the file with other options tells; undefined: it cannot be tried. */
export type TryOut = (values: ImportValues) => Promise<Trial | undefined>;

export interface Trial {
  readonly problems: readonly ImportProblem[];
  /** undefined: the sheet could not be read to its end. */
  readonly report: SheetReport | undefined;
}

/** An option and its value. */
export type Way = readonly [option: string, value: string];

/** So often, the fixes of the problems that a trial shows are added. */
const MAX_ROUNDS = 3;

/** The problems that show up when the known ones are solved, as far as an option would solve them. */
export async function laterProblems(
  fixes: readonly Fix[],
  tryWay: (way: readonly Way[]) => Promise<Trial | undefined>,
  isFixed?: (option: string) => boolean,
): Promise<readonly ImportProblem[]> {
  const later: ImportProblem[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const all = [...fixes, ...fixesOf(later)];
    const [first] = waysToFix(all, isFixed);
    const trial = first && (await tryWay(first));
    const news = (trial?.problems ?? []).filter(
      ({ fix }) => fix !== undefined && !all.some((one) => isSame(one, fix)),
    );
    if (news.length === 0) break;
    later.push(...news);
  }
  return later;
}

/** Permissions, which are options that take no value, are not proposed: nobody should paste one without a thought. */
export function fixesOf(problems: readonly ImportProblem[]): readonly Fix[] {
  return problems.flatMap(({ fix }) => (fix && isValued(fix[0]) ? [fix] : []));
}

function isValued(option: string): boolean {
  const name = nameOfKey(option.slice(2));
  return name === undefined || optionOf(name).takes !== undefined;
}

function isSame(one: Fix, other: Fix): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What a human has to fill in, by option, and what stands for it in a trial. Values of other options are of the file. */
const GAPS: Readonly<Record<string, readonly [gap: RegExp, filled: string]>> = {
  '--account': [/^NAME$/g, 'name'],
  '--group': [/^NAME$/g, 'name'],
  '--year': [/^YEAR$/g, '2027'],
  '--people': [/(?<==)NAME$/g, 'name'],
  '--codes': [/(?<==)HH:MM-HH:MM(?=,|$)/g, '09:00-17:00'],
};

export function hasGap([option, value]: Way): boolean {
  return filledIn([option, value]) !== value;
}

function filledIn([option, value]: Way): string {
  const [gap, filled] = GAPS[option] ?? [];
  return gap === undefined || filled === undefined ? value : value.replaceAll(gap, filled);
}

/** What the options are with those of a way. */
export function valuesWith(given: ImportValues, way: readonly Way[]): ImportValues {
  const values: Record<string, unknown> = { ...given };
  for (const [option, value] of way) {
    const name = nameOfKey(option.slice(2));
    if (name === undefined) continue;
    const { fromText, isDay } = optionOf(name);
    try {
      values[name] = isDay ? '2027-01-01' : fromText(filledIn([option, value]), values[name]);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
    }
  }
  return values;
}

/** If only a human can tell which way is right, at most this many are shown. */
const MAX_WAYS = 3;

/**
 * The options that would solve the problems. If there are several ways, one of them is right. `isFixed` tells which
 * options cannot be given once more.
 */
export function waysToFix(
  fixes: readonly Fix[],
  isFixed: (option: string) => boolean = () => false,
): readonly (readonly Way[])[] {
  const all = fixes.map(waysOf);
  const count = Math.min(MAX_WAYS, Math.max(0, ...all.map((ways) => ways.length)));
  const ways = Array.from({ length: count }, (_, i) =>
    together(all.map((some) => some[i] ?? some[0])).filter(([option]) => isList(option) || !isFixed(option)),
  );
  const byText = new Map(ways.filter((way) => way.length > 0).map((way) => [JSON.stringify(way), way]));
  return [...byText.values()];
}

export function waysOf([option, value, ...others]: Fix): readonly [Way, ...Way[]] {
  return [
    [option, value],
    ...others.map((other): Way => (typeof other === 'string' ? [option, other] : other)),
  ];
}

/** Whether the option takes several values, and may be given several times. */
function isList(option: string): boolean {
  const name = nameOfKey(option.slice(2));
  return name !== undefined && optionOf(name).join !== undefined;
}

/**
 * Merges the options so that each occurs once, unless it takes one pair at a time. If an option has two values, the first
 * counts; lists take all.
 */
function together(ways: readonly Way[]): readonly Way[] {
  const merged = new Map<string, Way>();
  for (const [option, value] of ways) {
    const name = nameOfKey(option.slice(2));
    const key = name !== undefined && optionOf(name).isOnePair ? `${option} ${value}` : option;
    const known = merged.get(key)?.[1];
    if (known === undefined) merged.set(key, [option, value]);
    else if (isList(option) && !known.split(',').includes(value))
      merged.set(key, [option, `${known},${value}`]);
  }
  return [...merged.values()];
}
