/** The commands `gateway` and `gateway links`: their options and their help. What they run is in run.ts and links.ts. */

import { Command, Option } from 'commander';
import { examples, section } from '../help.ts';
import { jsonOption } from '../options.ts';
import { addressesOf } from '../serve/command.ts';
import { baseUrlOption, sharedOptions } from '../serve/options.ts';
import type { LinksSettings } from './links.ts';
import type { GatewaySettings } from './run.ts';

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
    .addCommand(linksCommand())
    .helpCommand(true);
  const limits = ['maxConnections', 'headerTimeout', 'idleTimeout', 'drainSeconds'] as const;
  const baseUrl = baseUrlOption('where visitors reach the gateway, such as https://shifts.example.org');
  for (const option of sharedOptions(DEFAULT_PORT, baseUrl, ...limits)) command.addOption(option);
  return command
    .addHelpText('after', TOKEN_HELP)
    .addHelpText('after', examples('shiftfeed gateway website.json'))
    .action(async (configFile: string, given: Omit<GatewaySettings, 'configFile'>) => {
      const { gateway } = await import('./run.ts');
      await gateway({ ...given, configFile, ...addressesOf(command) });
    });
}

function linksCommand(): Command {
  return new Command('links')
    .summary('List the personal links of a feed, to hand them out.')
    .description(
      'Lists the people who have shifts in feeds with "personal": true, and the address of each. Whoever knows such an ' +
        'address sees the shifts of that person, so hand it to nobody else.',
    )
    .argument('[config]', 'the configuration of the gateway')
    .option('--feed <name>', 'only of this feed')
    .option('--person <name>', 'only of this person, who need not have shifts; on a terminal with a QR code')
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .addOption(jsonOption())
    .addOption(baseUrlOption('where people reach the gateway, such as https://shifts.example.org'))
    .option('--new-secret <file>', 'make a secret in a file that is not there yet, and do nothing else')
    .addHelpText(
      'after',
      examples(
        'shiftfeed gateway links --new-secret website.secret',
        'shiftfeed gateway links website.json --base-url https://shifts.example.org',
        'shiftfeed gateway links website.json --feed kitchen --csv',
        'shiftfeed gateway links website.json --person Noor',
      ),
    )
    .action(async (configFile: string | undefined, _given, command: Command) => {
      const { runLinks } = await import('./links.ts');
      // If `gateway` has an option of the same name, Commander assigns the value to that, wherever it stands.
      await runLinks({ ...command.optsWithGlobals<Omit<LinksSettings, 'configFile'>>(), configFile });
    });
}
