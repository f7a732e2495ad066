/**
 * The package for Debian and Ubuntu: the executable with the units of `deploy/`, a user and a man page. It is made by
 * `dpkg-deb`, without root. The same commit gives the same bytes.
 */

import { execFile } from 'node:child_process';
import { chmod, cp, glob, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { manPage } from './man-page.ts';
import { ROOT } from './packages.ts';

const run = promisify(execFile);

export const ARCHITECTURES = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' } as const;

export interface DebianOptions {
  readonly architecture: (typeof ARCHITECTURES)[keyof typeof ARCHITECTURES];
  readonly version: string;
  readonly executable: string;
  /** The licences of what the executable has inside. */
  readonly licences: string;
  /** Of the commit: the date of every file. */
  readonly epochSeconds: number;
}

/** `-` sorts before a release in Debian as it does in npm if it is written `~`. */
export function debianFile({
  architecture,
  version,
}: Pick<DebianOptions, 'architecture' | 'version'>): string {
  return `shiftfeed_${debianVersion(version)}_${architecture}.deb`;
}

const debianVersion = (version: string) => version.replace('-', '~');

/** Makes it in a folder, and returns its path. */
export async function makeDebianPackage(options: DebianOptions, destination: string): Promise<string> {
  const file = join(destination, debianFile(options));
  const folder = `${file}.folder`;
  await rm(folder, { recursive: true, force: true });
  try {
    const units = await unitsForDebian();
    for (const [path, content] of [...(await files(options, units)), ...(await scripts([...units.keys()]))]) {
      await put(folder, path, content);
    }
    await put(folder, 'usr/bin/shiftfeed', options.executable, 0o755);
    await put(folder, 'DEBIAN/control', Buffer.from(await control(options)));
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(options.epochSeconds) };
    // The least compression of xz: more would take minutes to save a megabyte. One thread, because more give other bytes.
    const packing = ['--root-owner-group', '--threads-max=1', '-Zxz', '-z1', '--build', folder, file];
    await run('dpkg-deb', packing, { env });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return file;
}

/** Modes do not depend on the umask of who makes the package. A text is a file to copy. */
async function put(
  folder: string,
  path: string,
  content: Buffer | string,
  mode = modeOf(path),
): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  if (typeof content === 'string') await cp(content, file);
  else await writeFile(file, content);
  await chmod(file, mode);
  for (let parent = dirname(file); parent.startsWith(folder); parent = dirname(parent))
    await chmod(parent, 0o755);
}

function modeOf(path: string): number {
  return /^DEBIAN\/(config|p.*)$/.test(path) ? 0o755 : 0o644;
}

const OWN = join(ROOT, 'packaging/debian');

async function files(options: DebianOptions, units: Map<string, string>): Promise<Map<string, Buffer>> {
  const compressed = (text: string | Buffer) => gzipSync(text, { level: 9 });
  const doc = 'usr/share/doc/shiftfeed';
  const all = new Map([
    ['usr/share/shiftfeed/environment', await readFile(join(OWN, 'environment'))],
    ['usr/share/man/man1/shiftfeed.1.gz', compressed(await manPage(options.version, options.epochSeconds))],
    ['usr/share/lintian/overrides/shiftfeed', await readFile(join(OWN, 'lintian-overrides'))],
    [`${doc}/changelog.gz`, compressed(changelog(options))],
    [`${doc}/NEWS.gz`, compressed(await readFile(join(ROOT, 'CHANGELOG.md')))],
    [`${doc}/copyright`, Buffer.from(await copyright())],
    [`${doc}/LICENSES.gz`, compressed(options.licences)],
  ]);
  for await (const page of glob('docs/*.md', { cwd: ROOT }))
    all.set(`${doc}/${page}`, await readFile(join(ROOT, page)));
  for (const [name, text] of units) all.set(`usr/lib/systemd/system/${name}`, Buffer.from(text));
  for await (const file of glob('deploy/monitoring/*', { cwd: ROOT }))
    all.set(`usr/share/shiftfeed/monitoring/${basename(file)}`, await readFile(join(ROOT, file)));
  return all;
}

const MAIN_UNIT = 'shiftfeed.service';

async function scripts(units: readonly string[]): Promise<Map<string, Buffer>> {
  const others = units.filter((name) => name !== MAIN_UNIT);
  const named: Record<string, readonly string[]> = {
    OTHER_UNITS: others,
    SOCKETS: others.filter((name) => name.endsWith('.socket')),
  };
  const all = new Map<string, Buffer>();
  for (const name of ['config', 'postinst', 'prerm', 'postrm', 'templates']) {
    const text = await readFile(join(OWN, name), 'utf8');
    const filled = text.replaceAll(/@([A-Z_]+)@/g, (_, list) => named[list]?.join(' ') ?? '');
    all.set(`DEBIAN/${name}`, Buffer.from(filled));
  }
  return all;
}

/**
 * The units as they are in `deploy/`, but for the place of the program, the cache of compiled code, which the executable
 * does not need, and the user: it exists for good, so that commands on the database are `sudo -u shiftfeed shiftfeed …`.
 */
async function unitsForDebian(): Promise<Map<string, string>> {
  const names = await Array.fromAsync(glob('deploy/*.{service,socket}', { cwd: ROOT }));
  const units = new Map<string, string>();
  for (const name of names.sort())
    units.set(basename(name), forDebian(await readFile(join(ROOT, name), 'utf8')));
  return units;
}

export function forDebian(unit: string): string {
  const text = unit
    .replaceAll('/opt/shiftfeed/bin/shiftfeed', '/usr/bin/shiftfeed')
    .replaceAll(/^(Environment=XDG_CACHE_HOME|CacheDirectory).*\n/gm, '')
    .replace(/ To install(\s+#)? it/, ' To start$1 it')
    .replaceAll(/^# {3}npm install .*\n/gm, '')
    .replaceAll(/^(# {3})cp .* systemctl daemon-reload(?: && (.*))?\n/gm, (_, start, rest) =>
      rest === undefined ? '' : `${start}${rest}\n`,
    );
  return /^User=shiftfeed$/m.test(text) ? text.replace(/^DynamicUser=yes\n/m, '') : text;
}

async function copyright(): Promise<string> {
  const own = await readFile(join(ROOT, 'LICENSE'), 'utf8');
  return `${own}
The executable also has Node and some packages inside. Their licences are in LICENSES.gz,
in this folder.
`;
}

const MAINTAINER = 'The Shiftfeed contributors <shiftfeed@localhost>';

/** In the form that Debian's programs read. What is new is told in NEWS.gz, which everybody can read. */
function changelog({ version, epochSeconds }: DebianOptions): string {
  const date = new Date(epochSeconds * 1_000).toUTCString().replace('GMT', '+0000');
  const head = `shiftfeed (${debianVersion(version)}) stable; urgency=medium`;
  return `${head}\n\n  * What is new stands in NEWS.gz.\n\n -- ${MAINTAINER}  ${date}\n`;
}

async function control({ architecture, version, executable }: DebianOptions): Promise<string> {
  const { size } = await stat(executable);
  return `Package: shiftfeed
Version: ${debianVersion(version)}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Section: web
Priority: optional
Installed-Size: ${Math.ceil(size / 1024)}
Depends: adduser, debconf (>= 0.5) | debconf-2.0, libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 6)
Description: read-only HTTP API for the work shifts of an organisation
 Shiftfeed lets websites and other applications read the shifts of a
 planning application as JSON, safely and fast. It imports workbooks of
 planners, serves shifts from SQLite or PostgreSQL, and shows chosen ones
 on websites.
 .
 This package has everything in one executable, with the Node that it runs
 on. The service listens on 127.0.0.1:8080.
`;
}
