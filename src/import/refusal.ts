/** Why the last import into an account cannot be taken back, in sentences. */

import type { HistoryEntry, LastChange, UndoRefusal } from '../store/admin/history.ts';
import { timeZoneName } from './fields.ts';

/** Says why the last import cannot be taken back; undefined if it can. */
export function whyNotUndone(slug: string, last: LastChange | undefined): string | undefined {
  if (last === undefined) return `There is no import into ${slug} that could be taken back.`;
  const { entry, refusal } = last;
  return refusal && SENTENCES[refusal](slug, entry);
}

const SENTENCES: Readonly<Record<UndoRefusal, (slug: string, entry: HistoryEntry) => string>> = {
  tokens: (_slug, entry) => `${named(entry)} cannot be taken back, because it took tokens, too.`,
  size: (_slug, entry) => `${named(entry)} cannot be taken back: what it replaced was too large to be kept.`,
  changed: changedSince,
  undone: (slug, entry) =>
    `The last import into ${slug} was taken back already, at ${timeOf(entry)}. Only one can be: ` +
    'to have it again, or what was before it, import that file.',
};

export function changedSince(slug: string, entry: HistoryEntry): string {
  return `${named(entry)} cannot be taken back: the account ${slug} was changed since, and that would be lost.`;
}

export function anotherCame(slug: string): string {
  return `Another import into ${slug} came after that one: only the last one can be taken back.`;
}

export function named(entry: HistoryEntry): string {
  return `The import${entry.file === '' ? '' : ` of ${entry.file}`} at ${timeOf(entry)}`;
}

/** Such as 2027-01-31T16:05Z, or 2027-01-31 17:05 in a time zone. */
export function timeOf({ atMs, timeZone }: Pick<HistoryEntry, 'atMs' | 'timeZone'>): string {
  if (timeZone === undefined) return `${new Date(atMs).toISOString().slice(0, 16)}Z`;
  // Sweden writes dates as ISO 8601 does.
  const clock = {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: timeZoneName(timeZone) ?? 'UTC',
  } as const;
  return new Date(atMs).toLocaleString('sv-SE', clock);
}

/** For whoever has no reason to think in UTC. */
export function byClocksOf<Last extends LastChange | undefined>(last: Last, timeZone: string): Last {
  return last && { ...last, entry: { ...last.entry, timeZone } };
}
