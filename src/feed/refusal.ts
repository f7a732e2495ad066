/**
 * Why a listing is refused. The kinds know nothing of HTTP: a table there gives each its status.
 */

import { quote } from '@shiftfeed/common/quote';
import { MAX_MONTHS } from '../store/account.ts';

export type RefusalKind =
  /** No token was sent. */
  | 'no-token'
  /** The token is unknown, revoked, expired, of another account, or of one that is not premium. */
  | 'dead-token'
  | 'unknown-account'
  /** Only a program that writes to the database by itself can fill so many. */
  | 'too-many-months'
  | 'bad-parameters';

export class Refusal extends Error {
  readonly kind: RefusalKind;
  /** For bad parameters: their names, or `unknown` for one that does not exist. */
  readonly parameters: readonly string[];

  constructor(kind: RefusalKind, message: string, parameters: readonly string[] = []) {
    super(message);
    this.name = 'Refusal';
    this.kind = kind;
    this.parameters = parameters;
  }
}

/** For an account that is deleted between the freshness check and the load. */
export function goneAccount({ slug }: { readonly slug: string }): Refusal {
  return new Refusal('unknown-account', `There is no account ${quote(slug)} any more.`);
}

export function tooManyMonths({ slug }: { readonly slug: string }): Refusal {
  return new Refusal(
    'too-many-months',
    `The account ${quote(slug)} has shifts in more than ${MAX_MONTHS} months, and cannot be listed: "shiftfeed doctor" says more.`,
  );
}
