/**
 * What happened to the database of a history: all its states in order, which of them readers may see, and what time it
 * was. A moment is a place in that order.
 */

import type { Draw } from '../draw.ts';
import type { World } from './world.ts';

/**
 * file: a SQLite file, which another file may replace. server: one PostgreSQL. replicas: copies that are each some
 * seconds behind, any of which may answer.
 */
export type DatabaseMode = 'file' | 'server' | 'replicas';

export interface Moment {
  readonly nowMs: number;
  /** The number of the newest state. */
  readonly newest: number;
  /** The number of the oldest state that a reader may be shown. */
  readonly oldest: number;
}

export type Database = ReturnType<typeof makeDatabase>;

const NOTICE_MS = 100;
/** Less than the ten seconds after which an old state counts as restored. */
const MAX_LAG_MS = 9_000;
const REPLICAS = 2;

interface DatabaseOptions {
  readonly mode: DatabaseMode;
  readonly first: World;
  readonly startMs: number;
  readonly draw: Draw;
  /** Counts what has happened. */
  readonly step: () => number;
}

export function makeDatabase({ mode, first, startMs, draw, step }: DatabaseOptions) {
  const states: World[] = [first];
  const committedMs: number[] = [startMs];
  const moments: Moment[] = [{ nowMs: startMs, newest: 0, oldest: 0 }];
  const replicas = mode === 'replicas' ? Array.from({ length: REPLICAS }, () => 0) : [];
  /** The last state of the file that was replaced, while that was not noticed. */
  let unnoticed: number | undefined;
  let nowMs = startMs;
  let lastFault = -1;

  const newest = () => states.length - 1;
  const now = () => states[newest()] as World;

  /** The oldest state that a replica may have. */
  function applied(): number {
    const last = committedMs.findLastIndex((ms) => ms <= nowMs - MAX_LAG_MS);
    return Math.max(0, last);
  }

  function moveReplica(from: (at: number) => number): void {
    const i = draw.integer(0, replicas.length - 1);
    const at = replicas[i];
    if (at !== undefined) replicas[i] = draw.integer(from(at), newest());
    note();
  }

  function note(): void {
    moments.push({ nowMs, newest: newest(), oldest: Math.min(newest(), unnoticed ?? newest(), ...replicas) });
  }

  return {
    mode,
    states: states as readonly World[],
    moments: moments as readonly Moment[],
    now,
    commit(world: World): void {
      if (world.history !== now().history) unnoticed ??= newest();
      states.push(world);
      committedMs.push(nowMs);
      note();
    },
    /** The number of the state that a reader is shown now. Freshness questions notice another file 0.1 s late. */
    read(what: 'freshness' | 'load'): number {
      if (mode === 'replicas') return draw.pick(replicas);
      if (what === 'load' || unnoticed === undefined) return newest();
      if (draw.chance(0.5)) return unnoticed;
      unnoticed = undefined;
      lastFault = step();
      return newest();
    },
    /** Notes what time it is, which lets replicas catch up. */
    tick(toMs: number): void {
      nowMs = toMs;
      const noticedBefore = nowMs - NOTICE_MS;
      if (unnoticed !== undefined && (committedMs[unnoticed + 1] as number) <= noticedBefore) {
        unnoticed = undefined;
        lastFault = step();
      }
      const oldest = applied();
      replicas.forEach((at, i) => {
        replicas[i] = Math.max(at, oldest);
      });
      note();
    },
    /** Lets a replica catch up a little. */
    replicate: () => moveReplica((at) => at),
    /** Makes a replica anew, from a copy that may be older than it was. */
    rebuild: () => moveReplica(applied),
    /** Lets all replicas catch up, and another file be noticed. */
    catchUp(): void {
      replicas.fill(newest());
      unnoticed = undefined;
      note();
    },
    /** For errors: whether something went wrong at or after a step. */
    faultSince: (since: number) => lastFault >= since,
    noteFault(): void {
      lastFault = step();
    },
  };
}
