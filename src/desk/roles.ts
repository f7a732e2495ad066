/** What an import may do to an account, by the role of who does it. */

import type { PlannedChange } from '../import/import.ts';
import type { Role } from './results.ts';

/** Whether an account is premium is not decided here, and planners change shifts alone. */
export function whyForbidden({ existing, settings, tables }: PlannedChange, role: Role): string | undefined {
  if (settings.premium !== (existing?.premium ?? false))
    return 'whether the account is premium cannot be changed here: take "premium" out of the document';
  if (role === 'owner') return undefined;
  if (existing === undefined) return 'only an owner can make an account';
  if (
    settings.name !== existing.name ||
    settings.timeZone !== existing.timeZone ||
    settings.sort !== existing.sort
  )
    return 'only an owner can change the name, the time zone and the order of the account: take them out of the document';
  const changed = (['groups', 'locations', 'people'] as const).find(
    (table) => tables[table].changed + tables[table].removed > 0,
  );
  return changed && `only an owner can change or remove ${changed}: a planner's document may only add some`;
}
