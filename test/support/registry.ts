/**
 * An npm registry on this machine, with the packages that are installed here and what was packed. So tests can install
 * with the ordinary npm client, without a network. The runtime is a stand-in of two lines that starts this Node: the
 * real one has 211 MB.
 */

import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { PackedPackage } from '../../packaging/pack.ts';
import { type Cleanup, newFolder } from './database.ts';
import { listen } from './listening.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A version of a package: what npm asks about it, and where its files are. */
interface Version {
  readonly name: string;
  readonly manifest: { readonly version: string; readonly [key: string]: unknown };
  readonly tarball: (response: ServerResponse) => Promise<void>;
}

/** Returns the address of the registry. */
export async function startRegistry(context: Cleanup, packed: readonly PackedPackage[]): Promise<string> {
  const versions = [
    ...(await installedVersions(await runtimeStandIn(context))),
    ...(await Promise.all(packed.map(packedVersion))),
  ];
  const server = createServer(async ({ url = '' }, response) => {
    const [, name = '', version] = decodeURIComponent(url).split(/^\/|\/-\//);
    const found = versions.filter((candidate) => candidate.name === name);
    if (version !== undefined) {
      await found.find(({ manifest }) => manifest.version === version)?.tarball(response);
    } else {
      const body = found.length === 0 ? { error: 'not found' } : describe(name, found, `http://${address()}`);
      response.writeHead(found.length === 0 ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    }
  });
  const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await listen(context, server);
  return `http://${address()}/`;
}

function describe(name: string, found: readonly Version[], registry: string): object {
  const versions = found.map(({ manifest }) => [
    manifest.version,
    { name, ...manifest, dist: { tarball: `${registry}/${encodeURIComponent(name)}/-/${manifest.version}` } },
  ]);
  return {
    name,
    'dist-tags': { latest: found[0]?.manifest.version },
    versions: Object.fromEntries(versions),
  };
}

/** What a package needs to run, by the lock: all of it is installed, except for the runtimes of other systems. */
async function installedVersions(standIn: string): Promise<Version[]> {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  const entries = Object.entries(
    lock.packages as Record<string, Version['manifest'] & { dev?: boolean; link?: boolean }>,
  );
  return entries
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link)
    .map(([path, manifest]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const folder = manifest.os === undefined ? join(ROOT, path) : standIn;
      return { name, manifest, tarball: (response) => sendFolder(folder, response) };
    });
}

async function packedVersion({ name, folder, tarball }: PackedPackage): Promise<Version> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return { name, manifest, tarball: async (response) => void createReadStream(tarball).pipe(response) };
}

/** What no program needs, and what npm would take seconds to unpack. */
const LEFT_OUT = ['node_modules', 'test', 'docs', 'examples', 'benchmarks', '*.md', '*.map', '*.d.ts'];

async function sendFolder(folder: string, response: ServerResponse): Promise<void> {
  const exclusions = LEFT_OUT.map((pattern) => `--exclude=${pattern}`);
  const words = ['-cz', ...exclusions, '-C', dirname(folder), basename(folder)];
  const { stdout } = await run('tar', words, { encoding: 'buffer', maxBuffer: 2 ** 26 });
  response.end(stdout);
}

async function runtimeStandIn(context: Cleanup): Promise<string> {
  const folder = join(await newFolder(context), 'package');
  await mkdir(join(folder, 'bin'), { recursive: true });
  const { platform, arch, execPath } = process;
  const manifest = { name: `node-${platform}-${arch}`, version: '26.0.0', bin: { node: 'bin/node' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'bin/node'), `#!/bin/sh\nexec '${execPath}' "$@"\n`, { mode: 0o755 });
  return folder;
}
