import { Command, InvalidArgumentError } from 'commander';
import { hashToken, makeToken } from '../feed/access/token.ts';
import { parseDate } from '../listing/calendar.ts';
import type { Account } from '../store/account.ts';
import type { Token } from '../store/admin-store.ts';
import type { Store } from '../store/store.ts';
import { databaseFileOption } from './database-file.ts';
import { Failure } from './failure.ts';
import { examples } from './help.ts';
import { databaseOption, integerBetween, jsonOption, needAccount, withStore } from './options.ts';
import { print, printJson, table } from './print.ts';

interface Options {
  readonly database: string;
  readonly json?: boolean;
}

interface CreateOptions extends Options {
  readonly label?: string;
  readonly expires?: Expiry;
}

/** The instant at which the token expires. For a date, it depends on the account's time zone. */
type Expiry = (timeZone: string) => number;

const MAX_LABEL_CHARACTERS = 200;

export function tokenCommand(): Command {
  return new Command('token')
    .summary('Create, list or revoke API tokens.')
    .description(
      'Creates, lists or revokes API tokens. A token lets its bearer read all shifts of one account.',
    )
    .addCommand(
      new Command('create')
        .description('Make a token and print it, this once: only its hash is stored.')
        .argument('<slug>', 'the account, which must be premium')
        .option('--label <text>', 'what the token is for', parseLabel)
        .option('--expires <date|instant>', 'its last day, or the very moment it ends', parseExpiry)
        .addOption(databaseOption())
        .addOption(databaseFileOption())
        .addHelpText('after', examples('shiftfeed token create acme --label website --expires 2027-12-31'))
        .action(create),
    )
    .addCommand(
      new Command('list')
        .description('List the tokens of an account.')
        .argument('<slug>', 'the account')
        .addOption(jsonOption())
        .addOption(databaseOption())
        .addOption(databaseFileOption())
        .addHelpText('after', examples('shiftfeed token list acme'))
        .action(list),
    )
    .addCommand(
      new Command('revoke')
        .description('End a token, from the next request on.')
        .argument('<id>', 'its id in the list', integerBetween(1, Number.MAX_SAFE_INTEGER))
        .addOption(databaseOption())
        .addOption(databaseFileOption())
        .addHelpText('after', examples('shiftfeed token revoke 3'))
        .action(revoke),
    )
    .addHelpText('after', examples('shiftfeed token create acme --label website'));
}

async function create(slug: string, { database, label = '', expires }: CreateOptions): Promise<void> {
  const token = await withStore(database, { missing: 'fail' }, async (store) => {
    const account = await needAccount(store, slug);
    return issueToken(store, account, label, expires?.(account.timeZone) ?? null);
  });
  print(token);
}

/** Stores the hash of a new token and returns its text, which is kept nowhere else. */
export async function issueToken(
  store: Store,
  account: Account,
  label: string,
  expiresAtMs: number | null,
): Promise<string> {
  if (!account.premium) {
    throw new Failure(
      `The account ${account.slug} is not premium, and only premium accounts have tokens: ` +
        `"shiftfeed account set ${account.slug} --premium true" changes that.`,
    );
  }
  const createdAtMs = Date.now();
  if (expiresAtMs !== null && expiresAtMs <= createdAtMs) {
    throw new Failure(`The expiry ${new Date(expiresAtMs).toISOString()} is in the past.`, { exitCode: 2 });
  }
  const token = makeToken();
  await store.addToken({ accountId: account.id, hash: hashToken(token), label, createdAtMs, expiresAtMs });
  return token;
}

async function list(slug: string, { database, json }: Options): Promise<void> {
  const { account, tokens } = await withStore(
    database,
    { missing: 'fail', readOnly: true },
    async (store) => {
      const account = await needAccount(store, slug);
      return { account, tokens: await store.tokens(account.id) };
    },
  );
  const nowMs = Date.now();
  if (json) {
    return printJson(
      tokens.map((token) => ({
        id: token.id,
        label: token.label,
        state: stateOf(token, account, nowMs),
        created_at: instant(token.createdAtMs),
        expires_at: instant(token.expiresAtMs),
        revoked_at: instant(token.revokedAtMs),
      })),
    );
  }
  if (tokens.length === 0) return print(`${slug} has no tokens: "shiftfeed token create ${slug}" makes one.`);
  print(
    table([
      ['ID', 'LABEL', 'STATE', 'CREATED', 'EXPIRES'],
      ...tokens.map((token) => [
        token.id,
        token.label,
        stateOf(token, account, nowMs),
        instant(token.createdAtMs) ?? '',
        instant(token.expiresAtMs) ?? 'never',
      ]),
    ]),
  );
}

async function revoke(id: number, { database }: Options): Promise<void> {
  const found = await withStore(database, { missing: 'fail' }, (store) => store.revokeToken(id, Date.now()));
  if (!found) throw new Failure(`There is no token ${id}: "shiftfeed token list" shows the ids.`);
  print(`Token ${id} is revoked.`);
}

function stateOf(token: Token, account: Account, nowMs: number): string {
  if (token.revokedAtMs !== null) return 'revoked';
  if (token.expiresAtMs !== null && token.expiresAtMs <= nowMs) return 'expired';
  return account.premium ? 'live' : 'asleep';
}

function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function parseLabel(text: string): string {
  if ([...text].length > MAX_LABEL_CHARACTERS) {
    throw new InvalidArgumentError(`Expected at most ${MAX_LABEL_CHARACTERS} characters.`);
  }
  return text;
}

function parseExpiry(text: string): Expiry {
  if (parseDate(text) !== undefined) {
    const date = Temporal.PlainDate.from(text);
    return (timeZone) => date.add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds;
  }
  try {
    const { epochMilliseconds } = Temporal.Instant.from(text);
    return () => epochMilliseconds;
  } catch {
    throw new InvalidArgumentError(
      'Expected a date such as 2027-12-31 or an instant such as 2027-12-31T12:00:00Z.',
    );
  }
}
