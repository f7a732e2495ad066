import { Command } from 'commander';
import { instant, issueToken } from '../feed/access/token.ts';
import { type Expiry, InvalidValue, readExpiry } from '../import/fields.ts';
import type { Account } from '../store/account.ts';
import { stateOf, type Token } from '../store/admin/tokens.ts';
import { Failure, wrongUse } from './failure.ts';
import { examples } from './help.ts';
import {
  addCommonOptions,
  type CommonOptions,
  integerBetween,
  needAccount,
  parserOf,
  textThat,
  withStore,
} from './options.ts';
import { print, printJson, table } from './print.ts';

interface CreateOptions extends CommonOptions {
  readonly label?: string;
  readonly expires?: Expiry;
}

export const parseExpiry = parserOf<Expiry>(readExpiry);

const MAX_LABEL_CHARACTERS = 200;
const parseLabel = textThat(
  (text) => [...text].length <= MAX_LABEL_CHARACTERS,
  `at most ${MAX_LABEL_CHARACTERS} characters`,
);

export function tokenCommand(): Command {
  return new Command('token')
    .summary('Create, list or revoke API tokens.')
    .description(
      'Creates, lists or revokes API tokens. A token lets its bearer read all shifts of one account.',
    )
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
    .addHelpText('after', examples('shiftfeed token create acme --label website'));
}

function createCommand(): Command {
  const command = new Command('create')
    .description('Make a token and print it, this once: only its hash is stored.')
    .argument('<slug>', 'the account, which must be premium')
    .option('--label <text>', 'what the token is for', parseLabel)
    .option(
      '--expires <when>',
      'its last day, the very moment it ends, or how long it lives, such as 30d',
      parseExpiry,
    );
  return addCommonOptions(
    command,
    'shiftfeed token create acme --label website --expires 2027-12-31',
    'shiftfeed token create acme --expires 30d',
  ).action(create);
}

async function create(slug: string, options: CreateOptions): Promise<void> {
  const { database, json, label = '', expires } = options;
  const { text, token } = await withStore(database, { missing: 'fail' }, async (store) => {
    const account = await needAccount(store, slug);
    const nowMs = Date.now();
    return issueToken(store, account, label, expiryFor(expires, account, nowMs), nowMs);
  });
  if (!json) return print(text);
  printJson({ id: token.id, account: slug, token: text, label, expires_at: instant(token.expiresAtMs) });
}

export function expiryFor(expires: Expiry | undefined, account: Account, nowMs: number): number | null {
  try {
    return expires?.(account, nowMs) ?? null;
  } catch (error) {
    throw error instanceof InvalidValue ? wrongUse(error.message) : error;
  }
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List the tokens of an account, or of all accounts, with the hour of their last use.')
    .argument('[slug]', 'the account; all of them when left out');
  return addCommonOptions(command, 'shiftfeed token list acme', 'shiftfeed token list').action(list);
}

async function list(slug: string | undefined, { database, json }: CommonOptions): Promise<void> {
  const listed = await withStore(database, { missing: 'fail', readOnly: true }, async (store) => {
    const one = slug === undefined ? undefined : await needAccount(store, slug);
    const accounts = new Map((one ? [one] : await store.accounts()).map((account) => [account.id, account]));
    const nowMs = Date.now();
    return (await store.tokens(one?.id)).map((token) => {
      const account = accounts.get(token.accountId);
      return { token, slug: account?.slug ?? '', state: stateOf(token, account?.premium ?? false, nowMs) };
    });
  });
  if (json) return printJson(listed.map(describe));
  if (listed.length === 0) return print(noTokens(slug));
  const isOfOne = slug !== undefined;
  const rows = listed.map(({ token, slug, state }) => [
    token.id,
    ...(isOfOne ? [] : [slug]),
    token.hint === '' ? '' : `${token.hint}…`,
    token.label,
    state,
    instant(token.createdAtMs) ?? '',
    instant(token.expiresAtMs) ?? 'never',
    hourOf(token.lastUsedAtMs) ?? 'not noted',
  ]);
  const headings = ['TOKEN', 'LABEL', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'];
  print(table([['ID', ...(isOfOne ? [] : ['ACCOUNT']), ...headings], ...rows]));
}

function describe({ token, slug, state }: { token: Token; slug: string; state: string }): object {
  return {
    id: token.id,
    account: slug,
    hint: token.hint,
    label: token.label,
    state,
    created_at: instant(token.createdAtMs),
    expires_at: instant(token.expiresAtMs),
    revoked_at: instant(token.revokedAtMs),
    last_used_at: hourOf(token.lastUsedAtMs),
  };
}

function noTokens(slug: string | undefined): string {
  return slug === undefined
    ? 'There are no tokens yet: "shiftfeed token create" makes one.'
    : `${slug} has no tokens: "shiftfeed token create ${slug}" makes one.`;
}

function revokeCommand(): Command {
  const command = new Command('revoke')
    .description('End a token, from the next request on.')
    .argument('<id>', 'its id in the list', integerBetween(1, Number.MAX_SAFE_INTEGER));
  return addCommonOptions(command, 'shiftfeed token revoke 3').action(revoke);
}

async function revoke(id: number, { database, json }: CommonOptions): Promise<void> {
  const found = await withStore(database, { missing: 'fail' }, (store) => store.revokeToken(id, Date.now()));
  if (!found) throw new Failure(`There is no token ${id}: "shiftfeed token list" shows the ids.`);
  if (json) printJson({ id, state: 'revoked' });
  else print(`Token ${id} is revoked.`);
}

/** Uses are recorded by the hour. */
export function hourOf(ms: number | null): string | null {
  return ms === null ? null : `${new Date(ms).toISOString().slice(0, 13)}:00Z`;
}
