/** `--report`: writes the result of an import as a text file beside the workbook, for planners who see no log. */

import { basename } from 'node:path';
import { Failure } from '../failure.ts';
import { FileRefused, openToRead, placeToWrite, reasonOf, replaceFile } from '../files.ts';

/** Marks a file as a report. Other files are not overwritten. */
const BEGINNING = 'Shiftfeed: ';

/** Fails before anything is imported. A folder that is missing now may be there later. */
export async function checkReportPlace(report: string): Promise<void> {
  await placeOf(report).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw unwritten('The report', error);
  });
}

/** Asked for each report anew, because the planner can put something else there. */
async function placeOf(report: string): Promise<string> {
  const place = await placeToWrite(report);
  if (await mayBeReplaced(place)) return place;
  throw new FileRefused(`${report} is there already and is not a report of an import: give another name`);
}

async function mayBeReplaced(place: string): Promise<boolean> {
  try {
    await using opened = await openToRead(place);
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(BEGINNING.length), 0, BEGINNING.length, 0);
    return buffer.toString('utf8', 0, bytesRead) === BEGINNING;
  } catch (error) {
    if (error instanceof FileRefused) return false;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

function unwritten(report: string, error: Error): Failure {
  return new Failure(`${report} could not be written: ${reasonOf(error)}.`, { cause: error });
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
    try {
      await replaceFile(await placeOf(report), `${BEGINNING}${basename(file)}, ${time}\n\n${text}\n`);
    } catch (error) {
      throw unwritten('The shifts were imported, but the report', error as Error);
    }
  };
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // Other errors concern only the operator, who sees them anyway.
    if (error instanceof Failure)
      await write(error instanceof FileFailure ? error.forPlanner : error.message).catch(() => undefined);
    throw error;
  }
  await write(describe(result));
  return result;
}

/** What is wrong with a file. The planner is told without options and command lines, having no shell to paste them into. */
export class FileFailure extends Failure {
  readonly forPlanner: string;

  constructor(message: string, forPlanner: string, options?: ConstructorParameters<typeof Failure>[1]) {
    super(message, options);
    this.forPlanner = forPlanner;
  }
}
