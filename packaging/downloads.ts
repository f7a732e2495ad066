/**
 * What is offered for download beside the packages for npm: an executable for each platform, packages for Debian, the
 * plugin for WordPress, what is inside, and the checksums of all of it. The same commit gives the same bytes.
 */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { makeBundle } from './bundle.ts';
import { ARCHITECTURES, makeDebianPackage } from './debian.ts';
import { makeExecutable, type Platform } from './executable.ts';
import type { PackedPackage } from './pack.ts';
import { type Manifest, ROOT } from './packages.ts';
import { makePlugin } from './wordpress.ts';

const run = promisify(execFile);

/** Makes them in the folder in which the packages were packed, and returns their paths. */
export async function makeDownloads(
  packed: readonly PackedPackage[],
  platforms: readonly Platform[],
  destination: string,
): Promise<string[]> {
  const own = packed.find(({ name }) => name === 'shiftfeed');
  if (own === undefined) throw new Error('There is no package "shiftfeed".');
  const { version } = own;
  const epochSeconds = Number((await run('git', ['log', '-1', '--format=%ct'], { cwd: ROOT })).stdout);
  const bundle = await makeBundle(packed, join(destination, 'inside'));
  const files: string[] = [];
  for (const platform of platforms) {
    const file = join(destination, executableName(version, platform));
    await makeExecutable(platform, bundle, file);
    await chmod(file, 0o755);
    files.push(file);
    const { licences } = bundle;
    const options = {
      architecture: ARCHITECTURES[platform],
      version,
      executable: file,
      licences,
      epochSeconds,
    };
    files.push(await makeDebianPackage(options, destination));
  }
  files.push(await makePlugin(destination));
  files.push(await write(join(destination, 'LICENSES.txt'), bundle.licences));
  files.push(
    await write(
      join(destination, `shiftfeed-${version}.cdx.json`),
      await partsList(own.source.manifest, epochSeconds),
    ),
  );
  const all = [...packed.map(({ tarball }) => tarball), ...files];
  return [...files, await write(join(destination, 'SHA256SUMS'), await checksums(all))];
}

export function executableName(version: string, platform: Platform): string {
  return `shiftfeed-${version}-${platform}`;
}

async function write(file: string, text: string): Promise<string> {
  await writeFile(file, text);
  return file;
}

interface Part {
  readonly 'bom-ref': string;
}

interface PartOf {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

/** As CycloneDX, without the number and the time of day that npm draws for each list. */
export async function partsList(
  { name, version, ...manifest }: Manifest,
  epochSeconds: number,
): Promise<string> {
  const words = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
  const { stdout } = await run('npm', words, { cwd: ROOT, maxBuffer: 2 ** 26 });
  const { serialNumber: _, ...list } = JSON.parse(stdout);
  const own = Object.entries({ ...manifest.dependencies, ...(manifest.optionalDependencies ?? {}) });
  const direct = own.map(([part, itsVersion]) => `${part}@${itsVersion}`);
  const parts: readonly PartOf[] = list.dependencies;
  // With --omit=dev, npm would also leave out what both we and a development dependency need.
  const needed = new Set(direct);
  for (const ref of needed)
    for (const part of parts.find((one) => one.ref === ref)?.dependsOn ?? []) needed.add(part);
  list.components = list.components.filter((part: Part) => needed.has(part['bom-ref']));
  list.dependencies = [
    { ref: `${name}@${version}`, dependsOn: direct },
    ...parts.filter(({ ref }) => needed.has(ref)),
  ];
  // npm calls it by the folder that it lies in.
  list.metadata.component.name = 'shiftfeed';
  list.metadata.timestamp = new Date(epochSeconds * 1_000).toISOString();
  return `${JSON.stringify(list, null, 2)}\n`;
}

/** In the form that `sha256sum --check` reads. */
async function checksums(files: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const file of files) {
    const sum = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    lines.push(`${sum}  ${basename(file)}\n`);
  }
  return lines.join('');
}
