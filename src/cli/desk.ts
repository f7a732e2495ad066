/** `desk`: runs the page for planners, and says who may open it. */

import { Command, Option } from 'commander';
import packageInfo from '../../package.json' with { type: 'json' };
import { DEFAULT_KEY_EXPIRY, describeKey, instant, issueKey, linkOf } from '../feed/access/token.ts';
import type { Expiry } from '../import/fields.ts';
import { SLUG, SLUG_RULE } from '../store/account.ts';
import { DESK_ROLES, type DeskKey, type DeskRole, stateOf } from '../store/admin/tokens.ts';
import type { Store } from '../store/store.ts';
import { Failure, wrongUse } from './failure.ts';
import { examples, section } from './help.ts';
import {
  addCommonOptions,
  type CommonOptions,
  databaseFileOption,
  databaseOption,
  needAccount,
  parseName,
  textThat,
  withStore,
} from './options.ts';
import { print, printJson, table, warn } from './print.ts';
import { addressesOf } from './serve/command.ts';
import { baseUrlOption, type ServeOptions, sharedOptions } from './serve/options.ts';
import { expiryFor, hourOf, parseExpiry } from './token.ts';

const DEFAULT_PORT = 8070;

const deskUrlOption = () => baseUrlOption('where people open the desk, such as https://desk.example.org');

const parseSlug = textThat((text) => SLUG.test(text), SLUG_RULE);

export function deskCommand(): Command {
  const command = new Command('desk')
    .summary('Run the page on which planners import workbooks.')
    .description(
      'Runs a page on which planners drop a workbook, see what would change, import it and undo it. The first line on ' +
        'standard output holds the URL. With an account, the second is a link that opens it as its owner, until the desk stops.',
    )
    .argument('[account]', 'the account that the link is for; the first import makes it', parseSlug)
    .addCommand(inviteCommand())
    .addCommand(keysCommand())
    .addCommand(revokeCommand())
    .helpCommand(true);
  for (const option of sharedOptions(DEFAULT_PORT, deskUrlOption())) command.addOption(option);
  return command
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText(
      'after',
      section(
        'Others:',
        '"desk invite" makes links for them. Run the desk behind a proxy with TLS then,',
        'and say with --base-url where people open it.',
      ),
    )
    .addHelpText(
      'after',
      section(
        'Environment:',
        'Every option can be given as a variable, too: --port 8070 as SHIFTFEED_PORT=8070.',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'shiftfeed desk acme',
        'shiftfeed desk --base-url https://desk.example.org',
        'shiftfeed desk invite acme --name Noor --base-url https://desk.example.org',
      ),
    )
    .action(async (account: string | undefined, given: ServeOptions) => {
      await run(account, given, command);
    });
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

async function run(account: string | undefined, given: ServeOptions, command: Command): Promise<void> {
  const { database, host, baseUrl, trustProxy, logLevel } = given;
  if (baseUrl === undefined && !LOOPBACK.includes(host))
    throw wrongUse(
      `Say with --base-url at which address people open the desk: keys would cross the network for ${host}, so it should be https.`,
    );
  // Other commands do not need the server.
  const { runDesk } = await import('../desk/run.ts');
  const { notifySystemd } = await import('../server/lifecycle.ts');
  const { version } = packageInfo;
  const options = { baseUrl, trustProxy, logLevel, account, version, ...addressesOf(command) };
  const desk = await runDesk({ ...options, databaseUrl: database, onWaiting: warn });
  const { url, link, metricsUrl, logger } = desk;
  print(`Shiftfeed's desk listens on ${url}`);
  print(link === undefined ? 'Links for planners: "shiftfeed desk invite".' : `Open it: ${link}`);
  if (metricsUrl !== undefined) print(`Metrics are at ${metricsUrl}`);
  notifySystemd(logger);
}

interface InviteOptions extends CommonOptions {
  readonly name: string;
  readonly role: DeskRole;
  readonly expires: Expiry;
  readonly baseUrl?: string;
  readonly port: number;
}

function inviteCommand(): Command {
  const command = new Command('invite')
    .description('Make a key of the desk and print its link, this once: only its hash is stored.')
    .argument('<account>', 'the account')
    .requiredOption('--name <text>', 'who gets it', parseName)
    .addOption(
      new Option('--role <role>', 'an owner may also see to tokens, settings, groups and people')
        .choices(DESK_ROLES)
        .default('planner'),
    )
    .addOption(
      new Option('--expires <when>', 'its last day, the very moment it ends, or how long it lives')
        .argParser(parseExpiry)
        .default(parseExpiry(DEFAULT_KEY_EXPIRY), DEFAULT_KEY_EXPIRY),
    );
  command.addOption(deskUrlOption());
  return addCommonOptions(
    command,
    'shiftfeed desk invite acme --name Noor --base-url https://desk.example.org',
    'shiftfeed desk invite acme --name Ada --role owner --expires 2027-12-31 --base-url https://desk.example.org',
  ).action(async (slug: string, _given, self: Command) => {
    // If `desk` has an option of the same name, Commander assigns the value to that, wherever it stands.
    await invite(slug, self.optsWithGlobals<InviteOptions>());
  });
}

async function invite(slug: string, options: InviteOptions): Promise<void> {
  const { database, json, name, role, expires, port } = options;
  const { key, expiresAtMs } = await withStore(database, { missing: 'fail' }, async (store) => {
    const account = await needAccount(store, slug);
    const nowMs = Date.now();
    const expiresAtMs = expiryFor(expires, account, nowMs);
    const key = await issueKey(store, { accountId: account.id, label: name, role, expiresAtMs }, nowMs);
    if (key === undefined)
      throw new Failure(`${name} has a key of ${slug} already: "shiftfeed desk revoke" ends it.`);
    return { key, expiresAtMs };
  });
  const link = linkOf(options.baseUrl ?? `http://127.0.0.1:${port}`, key);
  if (options.baseUrl === undefined)
    warn('The link is one of this machine: --base-url says where people open the desk.');
  if (json) printJson({ account: slug, name, role, link, expires_at: instant(expiresAtMs) });
  else print(link);
}

function keysCommand(): Command {
  const command = new Command('keys')
    .description('List who has a key of the desk of an account.')
    .argument('<account>', 'the account');
  return addCommonOptions(command, 'shiftfeed desk keys acme').action(
    async (slug: string, _given, self: Command) => {
      const { database, json } = self.optsWithGlobals<CommonOptions>();
      const keys = await withStore(database, { missing: 'fail', readOnly: true }, async (store: Store) =>
        store.deskKeys((await needAccount(store, slug)).id),
      );
      const nowMs = Date.now();
      if (json) return printJson(keys.map((key) => describeKey(key, nowMs)));
      if (keys.length === 0) return print(`Nobody has a key of ${slug}: "shiftfeed desk invite" makes one.`);
      const rowOf = (key: DeskKey) => [
        key.label,
        key.role,
        stateOf(key, true, nowMs),
        instant(key.createdAtMs) ?? '',
        instant(key.expiresAtMs) ?? 'never',
        hourOf(key.lastUsedAtMs) ?? 'never',
      ];
      print(table([['NAME', 'ROLE', 'STATE', 'SINCE', 'EXPIRES', 'LAST USED'], ...keys.map(rowOf)]));
    },
  );
}

function revokeCommand(): Command {
  const command = new Command('revoke')
    .description('End the key of somebody, from the next request on.')
    .argument('<account>', 'the account')
    .argument('<name>', 'who has it');
  return addCommonOptions(command, 'shiftfeed desk revoke acme Noor').action(
    async (slug: string, name: string, _given, self: Command) => {
      const { database, json } = self.optsWithGlobals<CommonOptions>();
      const revoked = await withStore(database, { missing: 'fail' }, async (store) =>
        store.revokeDeskKeys((await needAccount(store, slug)).id, { name }, Date.now()),
      );
      if (revoked === 0)
        throw new Failure(
          `Nobody named ${name} has a live key of ${slug}: "shiftfeed desk keys ${slug}" shows who has.`,
        );
      if (json) printJson({ account: slug, name, state: 'revoked' });
      else print(`The key of ${name} is revoked.`);
    },
  );
}
