/**
 * The options that would solve the problems of a sheet. They are tried before anybody is asked: some questions are found
 * only when others are answered.
 */

import type { Fix, Way } from '@shiftfeed/common/reason';
import type { SheetReport } from '@shiftfeed/sheets';
import { InvalidValue } from './fields.ts';
import { type ImportValues, optionByKey } from './options.ts';
import type { ImportProblem } from './problems.ts';

/** What reading the file with other options tells; undefined: it cannot be tried. */
export type TryOut = (values: ImportValues) => Promise<Trial | undefined>;

export interface Trial {
  readonly problems: readonly ImportProblem[];
  /** undefined: the sheet could not be read to its end. */
  readonly report: SheetReport | undefined;
}

/** So often, the fixes of the problems that a trial shows are added. */
const MAX_ROUNDS = 3;

/** The problems that show up when the known ones are solved, as far as an option would solve them. */
export async function laterProblems(
  fixes: readonly Fix[],
  tryWay: (way: readonly Way[]) => Promise<Trial | undefined>,
  isFixed?: (key: string) => boolean,
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
  return problems.flatMap(({ fix }) =>
    fix?.[0] && optionByKey(fix[0][0])?.takes !== undefined ? [fix] : [],
  );
}

function isSame(one: Fix, other: Fix): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What the options are with those of a way. */
export function valuesWith(given: ImportValues, way: readonly Way[]): ImportValues {
  const values: Record<string, unknown> = { ...given };
  for (const [key, value, hasGap] of way) {
    const option = optionByKey(key);
    if (option === undefined) continue;
    const { name, fromText, isDay, gap } = option;
    const filled = hasGap ? value + (gap?.example ?? '') : value;
    try {
      values[name] = isDay ? '2027-01-01' : fromText(filled, values[name]);
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
  isFixed: (key: string) => boolean = () => false,
): readonly (readonly Way[])[] {
  const count = Math.min(MAX_WAYS, Math.max(0, ...fixes.map((fix) => fix.length)));
  const all = Array.from({ length: count }, (_, i) =>
    together(
      fixes.flatMap((fix) => {
        const way = fix[i] ?? fix[0];
        return way && (isList(way) || !isFixed(way[0])) ? [way] : [];
      }),
    ),
  );
  return [...new Map(all.filter((way) => way.length > 0).map((way) => [JSON.stringify(way), way])).values()];
}

/** Whether the option takes several values, and may be given several times. */
function isList([key]: Way): boolean {
  return optionByKey(key)?.join !== undefined;
}

/** Each value once. If an option has two, the first counts, unless it takes a list. */
function together(ways: readonly Way[]): readonly Way[] {
  const byKey = Map.groupBy(ways, ([key]) => key);
  return [...byKey.values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined || !isList(first)) return some.slice(0, 1);
    return [...new Map(some.map((way) => [JSON.stringify(way), way])).values()];
  });
}

/** As they are typed. The values of a list are joined, unless it takes one pair at a time. */
export function typedWays(ways: readonly Way[]): readonly string[] {
  const byKey = Map.groupBy(ways, ([key]) => key);
  return [...byKey].flatMap(([key, some]) => {
    const option = optionByKey(key);
    const values = some.map(([, value, hasGap]) => (hasGap ? value + (option?.gap?.shown ?? '') : value));
    return (option?.isOnePair ? values : [values.join(',')]).flatMap((value) => [`--${key}`, value]);
  });
}
