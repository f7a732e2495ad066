/** The current date of an account. Another program may have written a zone to the database that does not exist. */

import type { Day } from '@shiftfeed/common/days';
import { quote } from '@shiftfeed/common/quote';
import { todayIn } from '@shiftfeed/common/zone';
import type { Account } from '../../store/account.ts';

export { todayIn } from '@shiftfeed/common/zone';

export function todayOf({ slug, timeZone }: Pick<Account, 'slug' | 'timeZone'>, nowMs: number): Day {
  try {
    return todayIn(timeZone, nowMs);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error(
      `The account ${slug} has the time zone ${quote(timeZone)}, which does not exist: ` +
        `"shiftfeed account set ${slug} --time-zone …" changes it.`,
    );
  }
}
