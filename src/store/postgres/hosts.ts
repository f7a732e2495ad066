/**
 * Which host of a URL to use. One of them is chosen and used for all connections until it fails or is no longer what is
 * wanted, so that a host that hangs costs nobody any time who could use another one, and so that the answers of a
 * process come from one server.
 */

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { isTemporary, StoreFailure } from '../failure.ts';
import type { Host, PostgresUrl, Wanted } from './database-url.ts';
import { explainFailure, reasonOf } from './explain.ts';

export interface Hosts {
  /** False if there is only one, and nothing is wanted of it: then it is never looked at. */
  readonly areSearched: boolean;
  /** The host to use. It is the same object until another one is chosen, or the same one once more. */
  current(): Promise<Choice>;
  /** To be called when a chosen host is no longer what is wanted, or fails: then the others come first. */
  forget(choice: Choice, hasFailed: boolean): void;
}

export interface Choice {
  readonly host: Host;
}

export interface HostsOptions {
  readonly url: PostgresUrl;
  /** A connection to look at a host with, limited in time. */
  readonly open: (host: Host) => Client;
  /** For how long to go on looking while no host is what is wanted. */
  readonly failoverMs: number;
}

/** How long an earlier host of the list may keep a later one waiting. */
const PATIENCE_MS = 250;
/** Between two searches, if the first one found nothing. */
const PAUSE_MS = 100;
/**
 * How often to look for a standby that can be preferred, and how soon again if there is one that lags. The threads of a
 * process look for themselves. When one of them asks a server that was promoted, or could reach no standby, while another
 * reads months from a standby, then what changes is refused as older than what was told, for so long.
 */
const RECHECK_MS = 5_000;
const RECHECK_LAGGING_MS = 2_000;

/** True on a server that is as wanted. */
export const IS_WANTED: Readonly<Record<Wanted, string>> = {
  any: 'true',
  'prefer-standby': 'true',
  primary: 'NOT pg_is_in_recovery()',
  standby: 'pg_is_in_recovery()',
  'read-write': "NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off'",
  'read-only': "pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'",
};

export function chooseHosts(options: HostsOptions): Hosts {
  const { hosts, wanted } = options.url;
  if (hosts.length > 1 || wanted !== 'any') return searchHosts(options);
  const only = Promise.resolve({ host: hosts[0] });
  return { areSearched: false, current: () => only, forget: () => undefined };
}

function searchHosts({ url, open, failoverMs }: HostsOptions): Hosts {
  const { hosts, wanted, isBalanced } = url;
  let order: readonly Host[] = isBalanced ? shuffled(hosts) : hosts;
  let chosen: Choice | undefined;
  let finding: Promise<Choice> | undefined;
  let recheckMs = 0;

  async function find(): Promise<Choice> {
    const endMs = performance.now() + failoverMs;
    for (;;) {
      try {
        const { host } = await search(url, order, open);
        chosen = { host };
        recheckMs = performance.now() + RECHECK_MS;
        return chosen;
      } catch (error) {
        // Those who ask meanwhile are told the same: nobody is helped by more connections to hosts that will not do.
        await delay(PAUSE_MS);
        if (!isTemporary(error) || performance.now() > endMs) throw error;
      }
    }
  }

  /** Goes back to a standby, or to an earlier one of the list, while the host that is used goes on being used. */
  async function findBetter(present: Choice): Promise<void> {
    const better = await search(url, order, open);
    if (better.host === present.host || !better.isStandby) return;
    const isUsable = await hasCaughtUp(open, present.host, better.host);
    if (chosen !== present) return;
    if (isUsable) chosen = { host: better.host };
    else recheckMs = performance.now() + RECHECK_LAGGING_MS;
  }

  return {
    areSearched: true,
    current() {
      if (chosen === undefined) {
        finding ??= find().finally(() => {
          finding = undefined;
        });
        return finding;
      }
      if (wanted === 'prefer-standby' && performance.now() > recheckMs) {
        recheckMs = performance.now() + RECHECK_MS;
        findBetter(chosen).catch(() => undefined);
      }
      return Promise.resolve(chosen);
    },
    forget(choice, hasFailed) {
      if (chosen !== choice) return;
      chosen = undefined;
      // It may still answer those who look at it, but not those who ask for more.
      if (hasFailed) order = [...order.filter((host) => host !== choice.host), choice.host];
    },
  };
}

/** The threads of a process get the same order, so that they use the same host. */
function shuffled(hosts: readonly Host[]): Host[] {
  const drawn = ({ label }: Host) =>
    createHash('sha256').update(`${hostname()} ${process.pid} ${label}`).digest('hex');
  return hosts.toSorted((a, b) => (drawn(a) < drawn(b) ? -1 : 1));
}

interface Found {
  readonly host: Host;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

/**
 * Looks at all hosts at once. The first one in order that is as wanted is taken, but those that do not answer are not
 * waited for any longer than a moment.
 */
function search(url: PostgresUrl, order: readonly Host[], open: HostsOptions['open']): Promise<Found> {
  const { promise, resolve, reject } = Promise.withResolvers<Found>();
  const looks: (Found | Error | undefined)[] = order.map(() => undefined);
  let isPatient = true;

  function decide(): void {
    const ranks = looks.map((look, i) => (isFound(look) ? rankOf(look, i, url.wanted) : Infinity));
    const best = ranks.indexOf(Math.min(...ranks));
    const found = looks[best];
    const isOpen = (look: unknown, i: number) => look === undefined && (ranks[best] ?? 0) > i;
    if (isFound(found) && ranks[best] !== Infinity) {
      if (!isPatient || !looks.some(isOpen)) resolve(found);
    } else if (!looks.includes(undefined)) reject(noneIsWanted(url, order, looks));
  }

  order.forEach((host, i) => {
    lookAt(open(host), host)
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      .then((look) => {
        looks[i] = look;
        decide();
      });
  });
  const timer = setTimeout(() => {
    isPatient = false;
    decide();
  }, PATIENCE_MS);
  return promise.finally(() => clearTimeout(timer));
}

function isFound(look: Found | Error | undefined): look is Found {
  return look !== undefined && !(look instanceof Error);
}

/** Less is better. Infinity: cannot be used. */
function rankOf({ isStandby, isReadOnly }: Found, place: number, wanted: Wanted): number {
  const isWritable = !isStandby && !isReadOnly;
  const fits: Record<Wanted, boolean> = {
    any: true,
    'prefer-standby': true,
    primary: !isStandby,
    standby: isStandby,
    'read-write': isWritable,
    'read-only': !isWritable,
  };
  if (!fits[wanted]) return Number.POSITIVE_INFINITY;
  return wanted === 'prefer-standby' && !isStandby ? Number.MAX_SAFE_INTEGER : place;
}

async function lookAt(client: Client, host: Host): Promise<Found> {
  const [found] = await askAlone<Omit<Found, 'host'>>(
    client,
    `SELECT pg_is_in_recovery() AS "isStandby", current_setting('default_transaction_read_only') = 'on' AS "isReadOnly"`,
  );
  if (found === undefined) throw new Error('it answered nothing');
  return { host, ...found };
}

async function askAlone<Row>(client: Client, question: string): Promise<readonly Row[]> {
  try {
    await client.connect();
    const { rows } = await client.query(question);
    client.end().catch(() => undefined);
    return rows as Row[];
  } catch (error) {
    // A server that hangs does not answer a goodbye either.
    client.connection.stream.destroy();
    throw error;
  }
}

/**
 * Whether a standby has everything that the host that is used had before. Positions in the log would say the same, but
 * Aurora does not tell them.
 */
async function hasCaughtUp(open: HostsOptions['open'], present: Host, standby: Host): Promise<boolean> {
  const newest = async (host: Host) => {
    const question = 'SELECT max(revision)::float8 AS revision FROM shiftfeed.accounts';
    const [row] = await askAlone<{ revision: number | null }>(open(host), question);
    return row?.revision ?? 0;
  };
  const before = await newest(present);
  return (await newest(standby)) >= before;
}

const NAMES: Readonly<Record<Wanted, string>> = {
  any: 'can be used',
  'prefer-standby': 'can be used',
  primary: 'is the primary',
  standby: 'is a standby',
  'read-write': 'can be written to',
  'read-only': 'is read-only',
};

function noneIsWanted(url: PostgresUrl, order: readonly Host[], looks: readonly unknown[]): unknown {
  const failures = looks.map((look) => (look instanceof Error ? explainFailure(url.name, look) : undefined));
  // A password that is wrong everywhere will not do later either.
  if (failures.every((failure) => failure instanceof StoreFailure && !isTemporary(failure)))
    return failures[0];
  if (order.length === 1 && failures[0] === undefined)
    return new StoreFailure(
      'unavailable',
      `The database ${url.name} cannot be used: ${lookOf(looks[0])}, and its URL has target_session_attrs=${url.wanted}.`,
    );
  const reasons = order.map(({ label }, i) => `${label}: ${lookOf(looks[i])}`);
  return new StoreFailure(
    'unavailable',
    `No host of the database ${url.name} ${NAMES[url.wanted]} at the moment (${reasons.join('; ')}).`,
  );
}

function lookOf(look: unknown): string {
  if (look instanceof Error) return reasonOf(look);
  const { isStandby, isReadOnly } = look as Found;
  return isStandby ? 'it is a standby' : isReadOnly ? 'it is read-only' : 'it is the primary';
}
