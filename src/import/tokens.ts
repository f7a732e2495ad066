/** The tokens of a document: whether an import may take them, and what is wrong with them. */

import type { AccountVersion } from '../store/admin/accounts.ts';
import type { Stage } from '../store/staging/stage.ts';
import type { FlawedToken, TokenComparison } from '../store/staging/tokens.ts';
import { placeOf } from './place.ts';
import type { ImportProblem, ProblemList } from './problems.ts';
import type { StagedDocument } from './stage-document.ts';

/**
 * An account that is taken with its tokens becomes what the document says as a whole. So one that is there already, and
 * may be somebody else's, is only taken with --replace. Returns undefined if the tokens cannot be compared.
 */
export async function compareTokens(
  stage: Stage,
  { tokens }: Pick<StagedDocument, 'tokens'>,
  existing: AccountVersion | undefined,
  replace: boolean,
  problems: ProblemList,
): Promise<TokenComparison | undefined> {
  // The positions of tokens are known only if all of them could be read.
  if (problems.count > 0) return undefined;
  if (tokens === undefined) problems.add({ place: 'tokens', message: MISSING });
  if (existing !== undefined && !replace) problems.add({ place: '', message: isThere(existing) });
  await problems.tell();
  if (problems.count > 0) return undefined;
  const comparison = await stage.tokens.compare(existing?.id);
  for await (const flawed of comparison.flawed()) {
    for (const token of flawed) problems.add(problemOf(token));
    await problems.tell();
  }
  return comparison;
}

const MISSING = 'is missing: "shiftfeed export --with-tokens" writes documents that have them';

function isThere({ slug }: AccountVersion): string {
  return `the account ${slug} is there already; if it is to become what the document says, tokens included, give --replace`;
}

function problemOf({ position, firstPosition, owner }: FlawedToken): ImportProblem {
  const message =
    owner === undefined
      ? `has the same hash as ${placeOf('tokens', firstPosition ?? 0)}`
      : `the database has this token already, for the account ${owner}`;
  return { place: placeOf('tokens', position), message };
}
