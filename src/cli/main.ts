/**
 * The command line. Exit codes: 0 done, 2 wrong usage, 1 any other error. Errors are printed on standard error as a
 * sentence.
 */

import cluster from 'node:cluster';
import { Command, CommanderError } from 'commander';
import packageInfo from '../../package.json' with { type: 'json' };
import { ImportProblems } from '../import/problems.ts';
import { StoreFailure } from '../store/failure.ts';
import { accountCommand } from './account/command.ts';
import { completionCommand } from './completion/command.ts';
import { readDatabaseFiles } from './database-file.ts';
import { checkDatabaseUrls } from './database-url.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { Failure } from './failure.ts';
import { firstSteps } from './first-steps.ts';
import { gatewayCommand } from './gateway/command.ts';
import { examples, HELP_STYLE, HELP_SUMMARY, helpCommand } from './help.ts';
import { importCommand } from './import/command.ts';
import { describeProblems } from './import/problems.ts';
import { warn } from './print.ts';
import { groupCommand, locationCommand, personCommand } from './records.ts';
import { serveCommand } from './serve/command.ts';
import { tellPrimary } from './serve/worker-messages.ts';
import { tokenCommand } from './token.ts';
import { readSwitches } from './variables.ts';

export async function main(argv: readonly string[]): Promise<void> {
  surviveLostOutput();
  const exitCode = await runCommand(argv);
  // Output that could not be written may have set another one.
  if (exitCode !== 0) process.exitCode = exitCode;
}

/** The words that come before the arguments. */
const NODE_AND_LAUNCHER = 2;

/** Runs a command and returns its exit code. A server runs on after that. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  try {
    if (argv.length <= NODE_AND_LAUNCHER) return showFirstSteps();
    await makeProgram().parseAsync(argv);
    return 0;
  } catch (error) {
    return report(error);
  }
}

/** A script that forgot the words must not succeed. */
function showFirstSteps(): number {
  process.stderr.write(firstSteps());
  return 2;
}

export function makeProgram(): Command {
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
      await readDatabaseFiles(command);
      checkDatabaseUrls(command);
    })
    .configureOutput({ outputError: (text, write) => write(`shiftfeed: ${sentenceOf(text)}\n`) });
  const commands = [
    serveCommand(),
    importCommand(),
    exportCommand(),
    accountCommand(),
    groupCommand(),
    locationCommand(),
    personCommand(),
    tokenCommand(),
    doctorCommand(),
    gatewayCommand(),
    completionCommand(),
    helpCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  passOn(program);
  return program;
}

/** An error of Commander on one line. */
function sentenceOf(text: string): string {
  return text
    .replace(/^error: /, '')
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

function report(error: unknown): number {
  // Commander has printed its error already. Its errors are about usage.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof ImportProblems) return complain(describeProblems(error), 1);
  if (error instanceof Failure) return complain(error.message, error.exitCode);
  if (error instanceof StoreFailure) return complain(error.message, error.kind === 'bad-url' ? 2 : 1);
  return complain(`An internal error occurred: ${error instanceof Error ? error.message : String(error)}`, 1);
}

function complain(message: string, exitCode: number): number {
  // A worker ends when it disconnects from its primary.
  if (cluster.isWorker) tellPrimary({ kind: 'failure', sentence: message }, () => process.disconnect?.());
  else warn(message);
  return exitCode;
}

/**
 * A server keeps running when its output cannot be written. A command succeeds if its reader closed the pipe, as `head`
 * does, and fails for other reasons, such as a full disk.
 */
function surviveLostOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || process.exitCode === 1) return;
    warn(`Standard output could not be written: ${message}.`);
    process.exitCode = 1;
  });
}
