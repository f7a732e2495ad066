/** Where personal links come from: a secret, and numbers of people who were given another link. */

import { foldName } from '@shiftfeed/common/names';
import { tell, within } from '../feed-copy.ts';
import type { People } from '../upstream.ts';
import { deriveKeys, type LinkKeys, type SealedName, sealName } from './sealed-name.ts';

/** A value, or what gets it. */
export type Given<T> = T | (() => T | Promise<T>);

export interface LinkOptions {
  /** At least 32 bytes that nobody can guess, as text or as they are. */
  readonly linksSecret?: Given<string | Uint8Array> | undefined;
  /** By name, for people who were given another link: 2 for the second one, and so on. */
  readonly linkNumbers?: Given<Readonly<Record<string, number>>> | undefined;
}

/** What is wrong with the secret or the numbers, as a sentence that tells neither of them, nor a name. */
export class LinksProblem extends Error {
  readonly of: 'secret' | 'numbers';

  constructor(of: LinksProblem['of'], message: string) {
    super(message);
    this.name = 'LinksProblem';
    this.of = of;
  }
}

export interface Links {
  /** Those of a feed that is not personal open nothing. */
  keysOf(feed: string): LinkKeys;
  numberOf(foldedName: string): number;
  /** By folded name, in the order in which they were given. */
  readonly numbered: ReadonlyMap<string, NumberedName>;
}

export interface NumberedName {
  /** As it was given. */
  readonly name: string;
  readonly number: number;
  /** Which one it is, from 1 on: messages tell this instead of the name. */
  readonly entry: number;
}

export const MIN_SECRET_BYTES = 32;
const MAX_NUMBER = 0xffff_ffff;
/** No feed has this name. */
const NO_FEED = '';

/** Throws `LinksProblem`, or what getting the values throws. */
export async function readLinks(options: LinkOptions, feeds: readonly string[]): Promise<Links> {
  const secret = secretOf(await gotten(options.linksSecret));
  const numbered = numbersOf((await gotten(options.linkNumbers)) ?? {});
  const keys = new Map<string, LinkKeys>();
  for (const feed of [...feeds, NO_FEED]) keys.set(feed, await deriveKeys(secret, feed));
  return {
    keysOf: (feed) => keys.get(feed) ?? (keys.get(NO_FEED) as LinkKeys),
    numberOf: (name) => numbered.get(name)?.number ?? 1,
    numbered,
  };
}

/** The part of an address that is a person's own. Nobody has one whose name is empty, or longer than names are. */
export async function linkOf(links: Links, feed: string, person: string): Promise<string | undefined> {
  const name = foldName(person);
  if (name === '') return undefined;
  const sealed: SealedName = { name, number: links.numberOf(name) };
  return sealName(links.keysOf(feed), sealed);
}

/** Where everything is that is a person's own, below the root. */
export function personalPath(feed: string, link: string): string {
  return `/${feed}/me/${link}`;
}

/** The feed, the link, and the form. */
export const PERSONAL_PATH = /^\/([^/]+)\/me\/([^/]+)(|\/shifts|\/shifts\.ics)$/;

async function gotten<T>(given: Given<T> | undefined): Promise<T | undefined> {
  return typeof given === 'function' ? (given as () => T | Promise<T>)() : given;
}

/** Where a secret is text, editors may have put a line break behind it. */
function secretOf(value: string | Uint8Array | undefined): Uint8Array {
  const encoder = new TextEncoder();
  const bytes = typeof value === 'string' ? encoder.encode(value) : (value ?? new Uint8Array());
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const secret = /^[\t-\r -~]*$/.test(text) ? encoder.encode(text.trim()) : bytes;
  if (secret.length < MIN_SECRET_BYTES) {
    throw new LinksProblem('secret', `The secret of links must have at least ${MIN_SECRET_BYTES} bytes.`);
  }
  return secret;
}

function numbersOf(value: unknown): Links['numbered'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new LinksProblem('numbers', 'The numbers of links must be an object, such as { "Noor": 2 }.');
  }
  const numbers = new Map<string, NumberedName>();
  for (const [i, [name, number]] of Object.entries(value).entries()) {
    const folded = foldName(name);
    const entry = i + 1;
    if (!Number.isInteger(number) || number < 1 || number > MAX_NUMBER) {
      const message = `The number of a link must be a whole number from 1 on: that of name ${entry} is not.`;
      throw new LinksProblem('numbers', message);
    }
    if (numbers.has(folded)) {
      const message = `The numbers of links have a name twice: name ${entry} was there before.`;
      throw new LinksProblem('numbers', message);
    }
    numbers.set(folded, { name, number, entry });
  }
  return numbers;
}

/** The secret and the numbers as they were last read. Undefined if they could not be read for a day. */
export type TakeLinks = () => Promise<Links | undefined>;

/** Reading two small files is cheap, so a new link works after this time at the latest. */
const MAX_AGE_SECONDS = 60;
/** As long as the last good copy of a feed is shown. */
const MAX_FAILING_MS = 24 * 3_600_000;
/** After this time, visitors get what was read before. */
const READ_LIMIT_MS = 5_000;

/**
 * They are read again within `max_age`, while visitors wait, so that the old link of somebody who was given another one
 * stops working by then. `onRead` is called each time that they were read, and `onFailure` when they could not be.
 */
export function keepLinks(
  read: () => Promise<Links>,
  maxAgeSeconds: number,
  clock: () => number,
  onRead: (links: Links) => void,
  onFailure: (error: unknown) => void,
): TakeLinks {
  const pauseMs = Math.min(maxAgeSeconds, MAX_AGE_SECONDS) * 1000;
  let links: Links | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  let attemptedMs = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;

  async function renew(nowMs: number): Promise<void> {
    attemptedMs = nowMs;
    try {
      const found = await read();
      // A slow reading may be older than one that was started after it.
      if (attemptedMs !== nowMs) return;
      links = found;
      readMs = nowMs;
      tell(onRead, found);
    } catch (error) {
      tell(onFailure, error);
    } finally {
      if (attemptedMs === nowMs) underWay = undefined;
    }
  }

  return async () => {
    const nowMs = clock();
    // If the clock was set back, do not wait until it has caught up.
    if (nowMs - attemptedMs >= pauseMs || nowMs < attemptedMs) underWay = renew(nowMs);
    const waitMs = attemptedMs + READ_LIMIT_MS - nowMs;
    if (underWay !== undefined && waitMs > 0) await within(underWay, waitMs);
    return nowMs - readMs > MAX_FAILING_MS ? undefined : links;
  };
}

export type NumberWatch = ReturnType<typeof watchNumbers>;

/**
 * Notices numbers of links that probably do not do what their owner meant: a misspelt name leaves the leaked link of
 * somebody alive, and a number that went down brings one back. Each is told once, and without the name. A name is only
 * judged when all of these feeds were read.
 */
export function watchNumbers(feeds: readonly string[], onDoubt: (problem: LinksProblem) => void) {
  const namesOfFeeds = new Map<string, { readonly people: People; readonly names: ReadonlySet<string> }>();
  let numbered: Links['numbered'] = new Map();
  /** Names that somebody has had, or that were told. */
  const judged = new Set<string>();
  const doubt = (message: string) => tell(onDoubt, new LinksProblem('numbers', message));

  function judgeNames(): void {
    if (namesOfFeeds.size < feeds.length) return;
    for (const [name, { entry }] of numbered) {
      if (judged.has(name)) continue;
      judged.add(name);
      if ([...namesOfFeeds.values()].some(({ names }) => names.has(name))) continue;
      doubt(
        `Nobody in the personal feeds has name ${entry} of the numbers of links just now: if it is misspelt, the link that it was meant to end still works.`,
      );
    }
  }

  return {
    /** The numbers were read. */
    numbers(links: Links): void {
      const before = numbered;
      numbered = links.numbered;
      for (const [name, { entry, number }] of before) {
        if (links.numberOf(name) >= number) continue;
        const now = numbered.get(name)?.entry;
        const what =
          now === undefined ? `name ${entry} of before has none any more` : `that of name ${now} went down`;
        doubt(`A number of links is lower than it was, so an older link works again: ${what}.`);
      }
      for (const name of judged) if (!numbered.has(name)) judged.delete(name);
      judgeNames();
    },
    /** A personal feed was read. */
    people(feed: string, people: People): void {
      if (namesOfFeeds.get(feed)?.people === people) return;
      const names = new Set([...new Set(Object.values(people))].map((name) => foldName(name)));
      namesOfFeeds.set(feed, { people, names });
      judgeNames();
    },
  };
}
