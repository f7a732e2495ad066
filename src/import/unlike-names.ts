/**
 * Finds new people who are unlike all others, because what stands in a cell of people need not be a name. Nobody can list
 * what people write, so a name is compared with the habits of the other names: `PAUSE` is odd only where few are written
 * in capitals, and `as above` only where most names have capital letters.
 */

/** Small words that names have, too. */
const PARTS: ReadonlySet<string> = new Set(
  `van von vom zu zum zur der den dem des de het ter ten te in op aan uit bij la le lo las los les el al del della dello
  delle degli dei dal dalla di da do dos das du d e y i und af av z bin binti bint ben ibn abu ap mac dela st med nee geb jr sr jun sen`.split(
    /\s+/,
  ),
);

interface Trait {
  readonly has: (name: string) => boolean;
  /** Which names without it have the opposite. */
  readonly isOther: (name: string) => boolean;
  /** Those who have it are odd if they are at most so many of the others. */
  readonly share: number;
}

const USUAL_SHARE = 1 / 2;
/** More people than these have a habit of their own, unless they are few among many. */
const MAX_ODD = 5;
const MAX_ODD_SHARE = 1 / 10;
/** More words are a sentence. */
const MAX_WORDS = 5;

const having = (pattern: RegExp) => (name: string) => pattern.test(name);
const all = () => true;

const TRAITS: readonly Trait[] = [
  { has: hasSmallWord, isOther: having(/\p{Lu}/u), share: USUAL_SHARE },
  // Initials are shorter.
  { has: having(/(?<!\p{L})\p{Lu}{3,60}(?!\p{L})/u), isOther: having(/\p{Ll}/u), share: USUAL_SHARE },
  { has: having(/\p{N}/u), isOther: all, share: USUAL_SHARE },
  {
    has: (name) => wordsOf(name).filter((word) => !PARTS.has(word)).length > MAX_WORDS,
    isOther: all,
    share: USUAL_SHARE,
  },
  // Many write first names for some people, and whole ones for others.
  { has: having(/^[\p{L}\p{M}]+$/u), isOther: all, share: 1 / 10 },
];

/** `isShort`: whether all shifts of a person are short, as breaks and meetings are; undefined: the file has none. */
export function findUnlike(
  made: readonly string[],
  names: readonly string[],
  isShort: (name: string) => boolean | undefined,
): ReadonlySet<string> {
  const short: Trait = {
    has: (name) => isShort(name) === true,
    isOther: (name) => isShort(name) === false,
    share: USUAL_SHARE,
  };
  return new Set([...TRAITS, short].flatMap((trait) => oddOnes(made, names, trait)));
}

function oddOnes(made: readonly string[], names: readonly string[], trait: Trait): readonly string[] {
  const { has, isOther, share } = trait;
  const odd = made.filter(has);
  if (odd.length === 0) return [];
  let [having, others] = [0, 0];
  for (const name of names)
    if (has(name)) having++;
    else if (isOther(name)) others++;
  return having <= Math.max(MAX_ODD, others * MAX_ODD_SHARE) && having <= others * share ? odd : [];
}

/** A word without capital letters that is no part of names and no initial, or nothing but small letters. */
function hasSmallWord(name: string): boolean {
  if (!/(?<![\p{L}\p{M}])\p{Ll}/u.test(name)) return false;
  if (!/[\p{Lu}\p{Lo}]/u.test(name)) return true;
  const words = wordsOf(name.replaceAll(/(?<!\p{L})\p{Ll}(?:\.|$)/gu, ''));
  return words.some((word) => /^\p{Ll}/u.test(word) && !/\p{Lu}/u.test(word) && !PARTS.has(word));
}

function wordsOf(name: string): readonly string[] {
  return name.match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? [];
}
