/**
 * Why a listing is refused. The kinds know nothing of HTTP: a table there gives each its status.
 */

import { quote } from '../quote.ts';

export type RefusalKind =
  /** No token was sent. */
  | 'no-token'
  /** The token is unknown, revoked, expired, of another account, or of one that is not premium. */
  | 'dead-token'
  | 'unknown-account'
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
