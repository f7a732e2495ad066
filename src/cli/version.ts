/** `version`: what is installed, for reports of problems and before an upgrade. */

import { Command } from 'commander';
import packageInfo from '../../package.json' with { type: 'json' };
import { latestSchema as latestOfPostgres } from '../store/postgres/schema.ts';
import { latestSchema as latestOfSqlite } from '../store/sqlite/schema.ts';
import { examples } from './help.ts';
import { print, table } from './print.ts';

export function versionCommand(): Command {
  return new Command('version')
    .summary('Print the versions of Shiftfeed, of Node and of its schemas.')
    .description(
      'Prints the version of Shiftfeed, that of the Node that runs it, and the versions of the schemas that it writes. ' +
        'It opens no database.',
    )
    .addHelpText('after', examples('shiftfeed version'))
    .action(() =>
      print(
        table([
          ['Shiftfeed', packageInfo.version],
          ['Node', process.versions.node],
          ['Schema on SQLite', String(latestOfSqlite())],
          ['Schema on PostgreSQL', String(latestOfPostgres())],
        ]),
      ),
    );
}
