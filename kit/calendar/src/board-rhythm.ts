/**
 * The rhythm of a board, which nobody watches over. It shows every minute, and asks again about every minute, or less and
 * less often while nobody answers. Whether it is time is decided by the clock alone, once a second: a computer that
 * slept for hours is right a second after it wakes, whatever became of its timers.
 */

import { MINUTE_MS } from '@shiftfeed/common/days';
import { pauseAfter } from './board-pause.ts';
import { type Rhythm, untilEnded } from './rhythm.ts';

const BEAT_MS = 1_000;
/** A network that comes and goes does not make a board ask more often than this. */
const LEAST_MS = 10_000;

export const boardRhythm: Rhythm = (supply, { show, refresh }) => {
  let shownMinute = Math.floor(Date.now() / MINUTE_MS);
  let jitter = Math.random();
  /** Shifts that another view loaded may not reach as far ahead as a board looks, so it asks soon. */
  let isHurried = supply.holding() !== undefined;
  return untilEnded(BEAT_MS, (event) => {
    if (event?.type === 'online') isHurried = true;
    if (document.hidden) return;
    const nowMs = Date.now();
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== shownMinute) {
      shownMinute = minute;
      show();
    }
    const pauseMs = isHurried ? LEAST_MS : pauseAfter(supply.failures, jitter);
    const sinceMs = nowMs - supply.attemptedMs;
    // A clock that was set back must not stop everything until it has caught up.
    if (supply.isLoading() || (sinceMs >= 0 && sinceMs < pauseMs)) return;
    jitter = Math.random();
    isHurried = false;
    void refresh();
  });
};
