/** The command `gateway links`: its options and its help. What it runs is in links.ts. */

import { Command, Option } from 'commander';
import { examples } from '../help.ts';
import { jsonOption } from '../options.ts';
import { serveOptions } from '../serve/options.ts';
import type { LinksSettings } from './links.ts';

export function linksCommand(): Command {
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
    .addOption(baseUrlOption())
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

function baseUrlOption(): Option {
  const option = serveOptions().find((candidate) => candidate.attributeName() === 'baseUrl') as Option;
  option.description = 'where people reach the gateway, such as https://shifts.example.org';
  return option;
}
