/**
 * Notices numbers of links that probably do not do what their owner meant: a misspelt name leaves the leaked link of
 * somebody alive, and a number that went down brings one back. Each is told once, and without the name.
 */

import { foldName } from '@shiftfeed/common/names';
import { tell } from '../feed-copy.ts';
import type { People } from '../upstream.ts';
import { type Links, LinksProblem } from './links.ts';

export interface NumberWatch {
  /** The numbers were read. */
  numbers(links: Links): void;
  /** A personal feed was read. */
  people(feed: string, people: People): void;
}

/** A name is only judged when all of these feeds were read. */
export function watchNumbers(
  feeds: readonly string[],
  onDoubt: (problem: LinksProblem) => void,
): NumberWatch {
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
    numbers(links) {
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
    people(feed, people) {
      if (namesOfFeeds.get(feed)?.people === people) return;
      const names = new Set([...new Set(Object.values(people))].map((name) => foldName(name)));
      namesOfFeeds.set(feed, { people, names });
      judgeNames();
    },
  };
}
