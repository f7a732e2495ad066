/** What an import may do to an account, by the role of who does it. Whoever may not change something may not change it back. */

import type { PlannedChange } from '../import/import.ts';
import { named } from '../import/refusal.ts';
import type { AccountSettings } from '../store/account.ts';
import type { LastChange } from '../store/admin/history.ts';
import type { DeskRole } from '../store/admin/tokens.ts';

/** Why the import of a document is refused; undefined if it is not. */
export function whyForbidden(planned: PlannedChange, role: DeskRole): string | undefined {
  const found = forbidden(planned, role);
  return found && `${found.why}${found.instead === undefined ? '' : `: ${found.instead}`}`;
}

/** Why the last import cannot be taken back by somebody, as a sentence. */
export function whyNotTakenBack(
  { entry, settings }: LastChange,
  account: AccountSettings,
  { role, name }: { readonly role: DeskRole; readonly name: string },
): string | undefined {
  const { account: made, tables } = entry.counts;
  const existing = made === 'added' ? undefined : (settings ?? account);
  // An account that was made stays as it is.
  const now = made === 'added' ? { ...account, premium: false } : account;
  const found =
    forbidden({ existing, settings: now, tables }, role) ??
    // People and locations come and go with the shifts of a sheet.
    (role !== 'owner' && tables.groups.added > 0 && entry.who !== name
      ? { why: 'only an owner can remove groups that somebody else has added' }
      : undefined);
  return found && `${named(entry)} cannot be taken back with your key: ${found.why}.`;
}

interface Forbidden {
  readonly why: string;
  /** What to do with a document. */
  readonly instead?: string;
}

/** Whether an account is premium is not decided here, and planners change shifts alone. */
function forbidden({ existing, settings, tables }: PlannedChange, role: DeskRole): Forbidden | undefined {
  if (settings.premium !== (existing?.premium ?? false))
    return {
      why: 'whether the account is premium cannot be changed here',
      instead: 'take "premium" out of the document',
    };
  if (role === 'owner') return undefined;
  if (existing === undefined) return { why: 'only an owner can make an account' };
  if (
    settings.name !== existing.name ||
    settings.timeZone !== existing.timeZone ||
    settings.sort !== existing.sort
  )
    return {
      why: 'only an owner can change the name, the time zone and the order of the account',
      instead: 'take them out of the document',
    };
  const changed = (['groups', 'locations', 'people'] as const).find(
    (table) => tables[table].changed + tables[table].removed > 0,
  );
  return (
    changed && {
      why: `only an owner can change or remove ${changed}`,
      instead: "a planner's document may only add some",
    }
  );
}
