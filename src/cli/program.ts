/** The program as Commander sees it: its commands, and what they have in common. */

import { Command } from 'commander';
import packageInfo from '../../package.json' with { type: 'json' };
import { growYoungSpace } from '../server/lifecycle.ts';
import { settleDatabaseUrls } from './database-url.ts';
import { examples, HELP_STYLE, HELP_SUMMARY, helpCommand } from './help.ts';
import { readSwitches } from './variables.ts';

type LoadCommand = () => Promise<Command>;

/** In the order of the help. */
const COMMANDS: Readonly<Record<string, LoadCommand>> = {
  serve: async () => (await import('./serve/command.ts')).serveCommand(),
  import: async () => (await import('./import/command.ts')).importCommand(),
  undo: async () => (await import('./history.ts')).undoCommand(),
  desk: async () => (await import('./desk.ts')).deskCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  account: async () => (await import('./account.ts')).accountCommand(),
  group: async () => (await import('./records.ts')).recordsCommand('groups'),
  location: async () => (await import('./records.ts')).recordsCommand('locations'),
  person: async () => (await import('./records.ts')).recordsCommand('people'),
  token: async () => (await import('./token.ts')).tokenCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  gateway: async () => (await import('./gateway/command.ts')).gatewayCommand(),
  version: async () => (await import('./version.ts')).versionCommand(),
};

/** Those that answer requests. */
const SERVING = ['serve', 'gateway'];

/** Loads only the named command, which starts sooner; or all commands, when none has that name. */
export async function makeProgram(name = ''): Promise<Command> {
  if (SERVING.includes(name)) growYoungSpace();
  const program = new Command('shiftfeed')
    .description('Lets the work shifts of an organisation be read over HTTP.')
    .version(packageInfo.version)
    .showSuggestionAfterError()
    .addHelpText('after', examples('shiftfeed serve --demo'))
    .configureHelp(HELP_STYLE)
    // The first call describes `help` for commands with subcommands; the second removes the program's own, which we
    // replace.
    .helpCommand('help [command]', HELP_SUMMARY)
    .helpCommand(false)
    .exitOverride()
    .hook('preAction', async (_program, command) => {
      readSwitches(command);
      await settleDatabaseUrls(command);
    })
    .configureOutput({ outputError: (text, write) => write(`shiftfeed: ${sentenceOf(text)}\n`) });
  const named = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  for (const load of named === undefined ? Object.values(COMMANDS) : [named])
    program.addCommand(await load());
  if (named === undefined) program.addCommand(helpCommand());
  passOn(program);
  return program;
}

/** What Commander quotes of a command line, from where a password or a token may begin. */
const SECRET = /(unknown option '[^=]*=|postgres(?:ql)?:\/\/|shiftfeed_).*?(?='(?: is | from |\n))/s;

/** An error of Commander on one line. */
function sentenceOf(text: string): string {
  return text
    .replace(/^error: /, '')
    .replace(SECRET, '$1…')
    .trim()
    .replaceAll('\n', ' ');
}

/** Commander does not copy settings to subcommands that are added with addCommand. */
function passOn(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    passOn(child);
  }
}
