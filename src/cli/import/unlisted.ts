/** How many of the imported shifts are not listed, and why. */

import type { ImportSummary } from '../../import/import.ts';
import { count } from '../print.ts';

export function describeUnlisted({ slug, tables, premium, unlisted }: ImportSummary): readonly string[] {
  const { added, changed, unchanged } = tables.shifts;
  const all = added + changed + unchanged;
  if (unlisted === undefined || all === 0) return [];
  if (!premium) {
    return [
      `None of it is listed: the account ${slug} is not premium, so no token is live. ` +
        `"shiftfeed account set ${slug} --premium true" changes that.`,
    ];
  }
  const { early, firstDate, lastDate, inactive } = unlisted;
  const hidden = early + inactive;
  if (hidden === 0) return [];
  const when = firstDate === lastDate ? `before ${firstDate}` : `yet, the first before ${firstDate}`;
  const reasons = [
    ...(early > 0 ? [`${count(early, 'is', 'are')} not published ${when}`] : []),
    ...(inactive > 0
      ? [
          inactive === 1
            ? '1 belongs to a group that is not active'
            : `${inactive} belong to groups that are not active`,
        ]
      : []),
  ];
  const which =
    hidden === all
      ? 'None of the shifts is listed'
      : `${hidden} of the ${all} shifts ${hidden === 1 ? 'is' : 'are'} not listed`;
  return [`${which}: ${reasons.join(', ')}.`];
}
