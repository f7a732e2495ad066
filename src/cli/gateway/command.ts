/** The command `gateway`: its options and its help. What it runs is in run.ts. */

import { Command } from 'commander';
import { examples, section } from '../help.ts';
import { serveOptions } from '../serve/options.ts';
import { givenAs } from '../variables.ts';
import { linksCommand } from './links-command.ts';
import { type GatewaySettings, SHARED_OPTIONS } from './settings.ts';

const DEFAULT_PORT = 8090;

const TOKEN_HELP = section(
  'Environment:',
  'SHIFTFEED_TOKEN is the token of the account. Without it, the token is read from',
  'the file that the configuration names ("token_file"). Every option can be given',
  'as a variable, too: --port 8090 as SHIFTFEED_PORT=8090.',
);

export function gatewayCommand(): Command {
  const command = new Command('gateway')
    .summary('Show chosen shifts on a website.')
    .description(
      'Shows chosen shifts to the visitors of a website, as JSON, as a calendar and as a page, without giving them the ' +
        'token. The first line on standard output holds the URL; logs go to standard error.',
    )
    .argument('<config>', 'a JSON file that says what to show')
    .addCommand(linksCommand());
  for (const option of serveOptions()) {
    if (!isShared(option.attributeName())) continue;
    command.addOption(option.attributeName() === 'port' ? option.default(DEFAULT_PORT) : option);
  }
  return command
    .addHelpText('after', TOKEN_HELP)
    .addHelpText('after', examples('shiftfeed gateway website.json'))
    .action(async (configFile: string, given: Omit<GatewaySettings, 'configFile'>) => {
      const { runGateway } = await import('./run.ts');
      await runGateway({ ...given, configFile, ...addressesOf(given, command) });
    });
}

function isShared(name: string): boolean {
  return SHARED_OPTIONS.some((option) => option === name);
}

function addressesOf(
  { host, port, adminHost, adminPort }: Omit<GatewaySettings, 'configFile'>,
  command: Command,
) {
  const setting = (name: 'host' | 'port' | 'adminHost' | 'adminPort') => givenAs(command, name);
  return {
    address: { host, port, hostSetting: setting('host'), portSetting: setting('port') },
    adminAddress:
      adminPort === undefined
        ? undefined
        : {
            host: adminHost,
            port: adminPort,
            hostSetting: setting('adminHost'),
            portSetting: setting('adminPort'),
          },
  };
}
