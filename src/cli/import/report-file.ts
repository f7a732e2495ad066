/** `--report`: writes the result of an import as a text file beside the workbook, for planners who see no log. */

import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Failure } from '../failure.ts';
import { replaceFile } from '../write-file.ts';

/** Marks a file as a report. Other files are not overwritten. */
const BEGINNING = 'Shiftfeed: ';

export async function checkReportPlace(report: string): Promise<void> {
  const found = await stat(report).catch(() => undefined);
  if (found === undefined || (found.isFile() && (await beginsAsReport(report)))) return;
  throw new Failure(`${report} is there already and is not a report of an import: give another name.`);
}

async function beginsAsReport(file: string): Promise<boolean> {
  const opened = await open(file);
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(BEGINNING.length), 0, BEGINNING.length, 0);
    return buffer.toString('utf8', 0, bytesRead) === BEGINNING;
  } finally {
    await opened.close();
  }
}

/** Runs an import, and writes its result to the report. */
export async function reported<T>(
  report: string,
  file: string,
  work: () => Promise<T>,
  describe: (result: T) => string,
): Promise<T> {
  const write = async (text: string) => {
    const time = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    await replaceFile(report, `${BEGINNING}${basename(file)}, ${time}\n\n${text}\n`).catch((error: Error) => {
      throw new Failure(`The report could not be written: ${error.message}.`, { cause: error });
    });
  };
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // Other errors concern only the operator, who sees them anyway.
    if (error instanceof Failure) await write(withoutCommand(error.message)).catch(() => undefined);
    throw error;
  }
  await write(describe(result));
  return result;
}

/** The planner has no shell to paste a command line into. */
function withoutCommand(message: string): string {
  return message.replace(/\nTry: .*$/, '');
}
