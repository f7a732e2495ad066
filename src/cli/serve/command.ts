/** The command `serve`: its options and its help. What it runs is in run.ts. */

import { Command } from 'commander';
import { passedSockets } from '../../server/lifecycle.ts';
import { examples, section } from '../help.ts';
import { givenAs } from '../variables.ts';
import { type ServeOptions, type ServeSettings, serveOptions } from './options.ts';

const VARIABLES_HELP = section(
  'Environment:',
  'Every option can also be given as a variable: --cache-mb 512 as',
  'SHIFTFEED_CACHE_MB=512, --demo as SHIFTFEED_DEMO=true. Options win over',
  'variables, and SHIFTFEED_PORT wins over PORT, for instance.',
);

export function serveCommand(): Command {
  const command = new Command('serve')
    .summary('Serve the API over HTTP.')
    .description(
      'Serves the API over HTTP. The first line on standard output holds the URL; logs go to standard ' +
        'error. SIGTERM and SIGINT let running requests finish; SIGTERM sends clients elsewhere before that.',
    );
  for (const option of serveOptions()) command.addOption(option);
  return command
    .addHelpText('after', VARIABLES_HELP)
    .addHelpText(
      'after',
      examples(
        'shiftfeed serve --demo',
        'shiftfeed serve --host 0.0.0.0 --workers auto --database postgres://shiftfeed@db.example/shiftfeed',
      ),
    )
    .action(async (given: ServeOptions) => {
      // No other command needs the server, and loading it takes longer than all the rest.
      const { serve } = await import('./run.ts');
      await serve({ ...given, ...addressesOf(command) });
    });
}

/** Where to listen, and which settings said so. */
export function addressesOf(command: Command): Pick<ServeSettings, 'address' | 'adminAddress'> {
  const { host, port, adminHost, adminPort } = command.opts<ServeOptions>();
  return {
    address: {
      host,
      port,
      sockets: passedSockets(),
      hostSetting: givenAs(command, 'host'),
      portSetting: npmStart('--port', port) ?? givenAs(command, 'port'),
    },
    adminAddress:
      adminPort === undefined
        ? undefined
        : {
            host: adminHost,
            port: adminPort,
            hostSetting: givenAs(command, 'adminHost'),
            portSetting: npmStart('--admin-port', adminPort) ?? givenAs(command, 'adminPort'),
          },
  };
}

const MAX_PORT = 65_535;

/** Someone who typed "npm start" may not know the options yet, so the sentence shows the whole command. */
function npmStart(option: string, port: number): string | undefined {
  const { npm_lifecycle_event: script, npm_package_name: name } = process.env;
  if (script !== 'start' || name !== 'shiftfeed') return undefined;
  return `"npm start -- ${option} ${port < 1024 || port === MAX_PORT ? 8080 : port + 1}"`;
}
