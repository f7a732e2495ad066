/** The progress of an import: a bar on a terminal, a line now and then elsewhere. */

import type { Progress } from '../../import/stage-document.ts';

const CLEAR_LINE = '\r\x1b[K';
const BAR_WIDTH = 24;
/** The intervals of the bar and of the lines. */
const BAR_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 30_000;
/** The remaining time is shown after this fraction of a step. */
const MIN_FRACTION_TO_ESTIMATE = 0.02;

/** `fractionRead` is how much of the file was read, from 0 to 1; undefined when its size is unknown. */
export function displayProgress(
  stream: { write(text: string): unknown; readonly isTTY: boolean },
  fractionRead: () => number | undefined,
  nowMs = () => performance.now(),
) {
  const isTerminal = stream.isTTY;
  let step: Progress['step'] | undefined;
  let stepStartMs = 0;
  let nextMs = nowMs() + (isTerminal ? 0 : LINE_INTERVAL_MS);

  function show(progress: Progress): void {
    const now = nowMs();
    // The number falls when an import starts over with writing.
    if (progress.step !== step) {
      step = progress.step;
      stepStartMs = now;
    }
    if (now < nextMs) return;
    nextMs = now + (isTerminal ? BAR_INTERVAL_MS : LINE_INTERVAL_MS);
    const fraction = progress.step === 'read' ? fractionRead() : fractionOf(progress);
    const text = describeProgress(progress, fraction, now - stepStartMs);
    stream.write(isTerminal ? `${CLEAR_LINE}${text}` : `${text.replace(/^\[.*\] +/, '')}\n`);
  }

  /** Removes the bar, to make room for other output. */
  function clear(): void {
    if (isTerminal) stream.write(CLEAR_LINE);
  }

  return { show, clear };
}

/** Such as `[######------------------]  25 %  250,000 shifts read, 80,000 a second, 9 s left`. */
function describeProgress({ step, done }: Progress, fraction: number | undefined, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? Math.round((done / elapsedMs) * 1_000) : 0;
  const parts = [`${number(done)} ${done === 1 ? 'shift' : 'shifts'} ${step}`];
  if (rate > 0) parts.push(`${number(rate)} a second`);
  if (fraction === undefined) return parts.join(', ');
  if (fraction >= MIN_FRACTION_TO_ESTIMATE && fraction < 1) {
    parts.push(`${duration((elapsedMs / fraction) * (1 - fraction))} left`);
  }
  const filled = Math.round(fraction * BAR_WIDTH);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
  return `${bar} ${String(Math.floor(fraction * 100)).padStart(3)} %  ${parts.join(', ')}`;
}

function fractionOf({ done, total }: Progress): number | undefined {
  return total ? Math.min(1, done / total) : undefined;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
