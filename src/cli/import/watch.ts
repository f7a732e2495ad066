/** Runs `import --watch`: what it reads, imports and prints. watch-loop.ts decides when. */

import { basename, resolve } from 'node:path';
import { setTimeout as timer } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  describeInLine,
  describeKept,
  describeNewNames,
  describeRefusal,
  describeReport,
  describeUnlisted,
  describeWarnings,
} from '../../import/describe.ts';
import type { ImportSummary } from '../../import/import.ts';
import { notifySystemd, stopOnSignal } from '../../server/lifecycle.ts';
import { openLog } from '../../server/log.ts';
import { StoreFailure } from '../../store/failure.ts';
import { Failure } from '../failure.ts';
import { FileRefused } from '../files.ts';
import type { Watch } from './once.ts';
import { makeLook, type Outcome, type Watching, watchFile } from './watch-loop.ts';

/** Throws as the command does. */
type ImportOnce = (watch: Watch) => Promise<ImportSummary>;

export async function runWatch(file: string, importOnce: ImportOnce, isQuiet: boolean): Promise<void> {
  const log = openLog(isQuiet ? 'warn' : 'info', process.stderr);
  const stopping = new AbortController();
  const stopWith = stopOnSignal(log);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  stopWith({
    async stop() {
      stopping.abort();
      await ended;
    },
  });
  log.logger.info(`Watching ${resolve(file)}.`);
  notifySystemd(log.logger);
  await watchFile(watchingOf(file, importOnce, log.logger, stopping.signal));
  log.logger.info('Stopped.');
  end();
}

/** Connects the loop with the real file and the clock of this machine. */
export function watchingOf(
  file: string,
  importOnce: ImportOnce,
  logger: Pick<Logger, 'info' | 'warn'>,
  stop: AbortSignal,
): Watching {
  const name = basename(file);
  const look = makeLook(file);
  let lastReport = '';
  const told = (summary: ImportSummary): void => {
    warnEach(logger, describeWarnings(summary));
    logger.info(describeInLine(name, summary));
    for (const line of [
      ...describeNewNames(summary),
      ...describeKept(summary),
      ...describeUnlisted(summary),
      ...describeRefusal(summary),
    ])
      logger.info(line);
    const lines = describeReport(summary);
    // How the sheet is read is logged only when it differs from the last time.
    if (lines.join('\n') !== lastReport) for (const line of lines) logger.info(line);
    lastReport = lines.join('\n');
  };
  return {
    look,
    async importFile(state) {
      async function confirm(): Promise<void> {
        const seen = await look();
        if ('trouble' in seen || seen.state !== state) throw new FileChanged();
        stop.throwIfAborted();
      }
      try {
        told(await importOnce({ stop, confirm, tellProblems: (lines) => warnEach(logger, lines) }));
        return 'done';
      } catch (error) {
        return outcomeOf(error, name, stop, logger);
      }
    },
    tellTrouble: (sentence) => logger.warn(sentence),
    tellSame: () => logger.info(`${name} is there again, as it was.`),
    // Goes on evenly when the clock of this machine is set.
    nowMs: () => performance.timeOrigin + performance.now(),
    pause: (ms) => timer(ms, undefined, { signal: stop }).catch(() => undefined),
    stop,
  };
}

class FileChanged extends Error {}

function outcomeOf(error: unknown, name: string, stop: AbortSignal, logger: Pick<Logger, 'warn'>): Outcome {
  if (error instanceof FileChanged || stop.aborted) return 'changed';
  // Only a newer program can go on: who starts this one again may have installed it meanwhile.
  if (error instanceof StoreFailure && (error.kind === 'newer' || error.kind === 'too-new')) throw error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StoreFailure && error.kind !== 'refused') return { trouble: `${message} ${AGAIN}` };
  if (error instanceof Failure && isAboutFile(error.cause)) return { trouble: `${message} ${AGAIN}` };
  const isKnown = error instanceof Failure || error instanceof StoreFailure;
  warnEach(logger, (isKnown ? message : `An internal error occurred: ${message}`).split('\n'));
  logger.warn(`The data stays as it was. ${name} is imported when it has changed.`);
  return 'done';
}

const AGAIN = 'The import is tried again.';

/** Whether the file could not be read, or the report could not be written. */
function isAboutFile(cause: unknown): boolean {
  return cause instanceof FileRefused || (cause instanceof Error && 'syscall' in cause);
}

function warnEach(logger: Pick<Logger, 'warn'>, lines: readonly string[]): void {
  for (const line of lines) logger.warn(line);
}
