/** Three nodes of Patroni and an etcd on this machine. Patroni decides which of them is the primary. */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { chown, mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Cleanup } from '../../test/support/database.ts';
import { OTHER_USER } from '../../test/support/postgres-server.ts';
import { testFolder } from '../../test/support/test-folder.ts';
import { postgresFolder } from './installed.ts';
import { makeNode, type Node, type Site } from './node.ts';

/** Whether a commit waits until a standby has it, too. */
export type Replication = 'synchronous' | 'asynchronous';

export type Cluster = ReturnType<typeof makeCluster>;

const NAMES = ['ann', 'bob', 'cem'];
/** As short as a busy machine allows. Patroni wants no more than `ttl` for a loop and two retries. */
const DYNAMIC = {
  ttl: 10,
  loop_wait: 2,
  retry_timeout: 4,
  maximum_lag_on_failover: 16 * 1024 * 1024,
  postgresql: {
    use_pg_rewind: true,
    remove_data_directory_on_rewind_failure: true,
    // A standby that is read in place of the primary must be noticed, and on one machine it would hardly be behind.
    recovery_conf: { recovery_min_apply_delay: '200ms' },
    // What protects data from a power cut only costs time here: what is killed are processes.
    parameters: {
      fsync: 'off',
      wal_log_hints: 'on',
      max_connections: 100,
      wal_retrieve_retry_interval: '1s',
      // Among its files, so that nothing of a server that was killed is left behind.
      dynamic_shared_memory_type: 'mmap',
    },
  },
};
const STREAMING = "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'";
const HEALTHY_WITHIN_MS = 120_000;
const QUERY_LIMIT_MS = 5_000;

export async function startCluster(context: Cleanup): Promise<Cluster> {
  const site = await openSite(context);
  await startEtcd(context, site);
  const ports = await freePorts(2 * NAMES.length);
  const nodes: Node[] = [];
  for (const [i, name] of NAMES.entries()) {
    const [postgres = 0, rest = 0] = ports.slice(2 * i);
    const node = await makeNode(site, name, { postgres, rest }, DYNAMIC);
    context.after(() => node.kill());
    nodes.push(node);
    await node.start();
  }
  const cluster = makeCluster(nodes, site.password);
  const leader = await cluster.healthy();
  await cluster.query(leader, `CREATE ROLE shiftfeed LOGIN PASSWORD '${site.password}'`, 'postgres');
  await cluster.query(leader, 'CREATE DATABASE shiftfeed OWNER shiftfeed', 'postgres');
  return cluster;
}

function makeCluster(nodes: readonly Node[], password: string) {
  let replication: Replication = 'asynchronous';

  /** The node that holds the lock of the primary, and takes writes. */
  async function leader(): Promise<Node | undefined> {
    const answers = await Promise.all(nodes.map((node) => node.ask('/primary')));
    return nodes.find((_, i) => answers[i]?.status === 200);
  }

  /** Asks a node as the owner of everything. */
  const query = (node: Node, statement: string, database = 'shiftfeed') =>
    ask(`postgres://postgres:${password}@127.0.0.1:${node.port}/${database}`, statement);

  /** Both standbys have to stream, and one has to be known to Patroni as the one that commits wait for, if they do. */
  async function healthyLeader(): Promise<Node | undefined> {
    const node = await leader();
    if (node === undefined) return undefined;
    const rows = await query(node, STREAMING, 'postgres');
    const syncs = rows.filter(({ sync_state }) => sync_state === 'sync').length;
    const told = (await (await node.ask('/cluster'))?.json()) as { members: { role: string }[] } | undefined;
    const awaited = told?.members.filter(({ role }) => role === 'sync_standby').length;
    const expected = replication === 'synchronous' ? 1 : 0;
    const isHealthy = rows.length === nodes.length - 1 && syncs === expected && awaited === expected;
    return isHealthy ? node : undefined;
  }

  return {
    nodes,
    /** Of the role that Shiftfeed uses. It must not show up in any log. */
    password,
    query,
    leader,
    /** A URL of the database on these nodes, in this order. */
    url(some: readonly Node[], parameters = ''): string {
      const hosts = some.map(({ port }) => `127.0.0.1:${port}`).join();
      return `postgres://shiftfeed:${password}@${hosts}/shiftfeed${parameters}`;
    },
    async replicate(how: Replication): Promise<void> {
      replication = how;
      const isSynchronous = how === 'synchronous';
      await order(await leader(), '/config', 'PATCH', {
        synchronous_mode: isSynchronous,
        synchronous_mode_strict: isSynchronous,
      });
    },
    /** Waits until both standbys follow the primary, and one could take its place. Tells who the primary is. */
    async healthy(): Promise<Node> {
      const endMs = performance.now() + HEALTHY_WITHIN_MS;
      while (performance.now() < endMs) {
        const node = await healthyLeader().catch(() => undefined);
        if (node !== undefined) return node;
        await delay(200);
      }
      throw new Error(`The cluster was not well after ${HEALTHY_WITHIN_MS / 1000} s:\n${lastWords(nodes)}`);
    },
    /** How often an old primary had to drop what the new one lacks, to follow it. */
    rewinds: () => nodes.reduce((sum, node) => sum + node.log().split('pg_rewind exit code=0').length - 1, 0),
    /** Asks Patroni for another primary. */
    switchOver: (from: Node) => order(from, '/switchover', 'POST', { leader: from.name }),
  };
}

async function order(node: Node | undefined, path: string, method: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await node?.ask(path, { method, headers, body: JSON.stringify(body) });
  // A switchover takes longer than we wait for its answer.
  if (answer !== undefined && !answer.ok) throw new Error(`Patroni refused ${path}: ${await answer.text()}`);
}

function lastWords(nodes: readonly Node[]): string {
  return nodes.map((node) => `${node.name}:\n${node.log().split('\n').slice(-10).join('\n')}`).join('\n');
}

async function ask(url: string, statement: string) {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: QUERY_LIMIT_MS,
    query_timeout: QUERY_LIMIT_MS,
  });
  // Its server may be killed at any moment.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** PostgreSQL refuses to run as root. */
async function openSite(context: Cleanup): Promise<Site> {
  const bin = postgresFolder();
  if (bin === undefined) throw new Error('There is no PostgreSQL for Patroni.');
  const user: Site['user'] = process.getuid?.() === 0 ? OTHER_USER : {};
  const folder = await realpath(await mkdtemp(join(testFolder(), 'patroni-')));
  context.after(() => rm(folder, { recursive: true, force: true }));
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const [etcdPort = 0] = await freePorts(1);
  return { folder, user, bin, etcdPort, password: randomBytes(12).toString('hex') };
}

/**
 * With the second version of its interface. By the third one, the Patroni of Debian 12 (3.0.2) gives the lock back to a
 * primary that wakes after another has taken its place, without asking who holds it.
 */
async function startEtcd(context: Cleanup, { folder, user, etcdPort }: Site): Promise<void> {
  const [peerPort] = await freePorts(1);
  const client = `http://127.0.0.1:${etcdPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const output = openSync(join(folder, 'etcd.log'), 'a');
  const etcd = spawn(
    'etcd',
    [
      ...['--name', 'only', '--data-dir', join(folder, 'etcd'), '--initial-cluster', `only=${peer}`],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--enable-v2=true'],
    ],
    { ...user, cwd: folder, stdio: ['ignore', output, output] },
  );
  closeSync(output);
  context.after(() => end(etcd));
  await once(etcd, 'spawn');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Below those that the system gives to clients: a node that was killed must find its port free when it comes back. */
const PORTS = { first: 15_000, last: 31_000 };

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = PORTS.first + Math.floor(Math.random() * (PORTS.last - PORTS.first));
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    await once(server.close(), 'close');
    return true;
  } catch {
    return false;
  }
}
