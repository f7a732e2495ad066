/** shiftfeed(1): the help texts of all commands as a man page. */

import type { Command } from 'commander';
import { makeProgram } from '../src/cli/program.ts';

const WIDTH = 76;

/** The date is that of the commit, so that the same commit gives the same page. */
export async function manPage(version: string, epochSeconds: number): Promise<string> {
  const program = await makeProgram();
  const day = new Date(epochSeconds * 1_000).toISOString().slice(0, 10);
  const commands = withChildren(program, []);
  return `.TH SHIFTFEED 1 ${day} "Shiftfeed ${version}" "User Commands"
.SH NAME
shiftfeed \\- let the work shifts of an organisation be read over HTTP
.SH SYNOPSIS
.B shiftfeed
.I command
.RI [ options ]
.SH DESCRIPTION
${verbatim(helpOf(program))}
.SH COMMANDS
${commands.map(({ words, command }) => `.SS ${escaped(words.join(' '))}\n${verbatim(helpOf(command))}`).join('\n')}
.SH FILES
.TP
.I /etc/shiftfeed/environment
Settings of the service, a variable a line.
.TP
.I /var/lib/shiftfeed/shiftfeed.db
The database of the service.
`;
}

interface NamedCommand {
  readonly words: readonly string[];
  readonly command: Command;
}

function withChildren(command: Command, words: readonly string[]): NamedCommand[] {
  return command.commands.flatMap((child) => {
    const own = { words: [...words, child.name()], command: child };
    return [own, ...withChildren(child, own.words)];
  });
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.trim();
}

function verbatim(text: string): string {
  return `.nf\n${escaped(text)}\n.fi`;
}

/** A hyphen that can be copied, and no line that would be a command of the page. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1');
}
