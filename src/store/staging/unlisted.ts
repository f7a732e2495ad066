/** Which of the given shifts are not listed, as SQL. */

import { afterOf } from './after.ts';
import type { Dialect, Situation } from './dialect.ts';

/**
 * Counts shifts that are not published yet, with the first and the last publish date, and other shifts of inactive
 * groups.
 */
export function unlistedCounts(dialect: Dialect, situation: Situation, today: string): string {
  const after = afterOf(dialect, situation);
  const publishDate = after('publish_date');
  const isEarly = `${publishDate} > '${today}'`;
  const isInactive = dialect.isAmong(after('group_id'), inactiveGroups(dialect, situation));
  return `count(*) FILTER (WHERE ${isEarly}) AS early_shifts,
    ${dialect.asText(`min(${publishDate}) FILTER (WHERE ${isEarly})`)} AS first_date,
    ${dialect.asText(`max(${publishDate}) FILTER (WHERE ${isEarly})`)} AS last_date,
    count(*) FILTER (WHERE NOT ${isEarly} AND ${isInactive}) AS inactive_shifts`;
}

/** The groups that will be inactive after the import. */
function inactiveGroups({ temporary, main }: Dialect, { added, options }: Situation): readonly string[] {
  const isGiven = added.has('groups');
  const kept = isGiven ? `AND id NOT IN (SELECT id FROM ${temporary}.groups_given WHERE active)` : '';
  return [
    ...(options.accountId === undefined
      ? []
      : [`SELECT id FROM ${main}.groups WHERE account_id = ${options.accountId} AND NOT active ${kept}`]),
    ...(isGiven ? [`SELECT id FROM ${temporary}.groups_given WHERE NOT active`] : []),
  ];
}
