/**
 * Makes what is published: the files of a package with JavaScript in place of TypeScript, because Node strips no types below
 * `node_modules`. Everything keeps its place and only the endings of names change, so that paths mean the same in both.
 */

import { execFile } from 'node:child_process';
import { chmod, cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { writeCalendarFiles } from './calendar-files.ts';
import { allPackages, COMMON, type Manifest, type Package, ROOT } from './packages.ts';
import { copyWithCommon } from './with-common.ts';

const run = promisify(execFile);

export interface PackedPackage {
  readonly source: Package;
  readonly name: string;
  readonly version: string;
  /** What others can import → the file in the folder. */
  readonly exports: Readonly<Record<string, string>>;
  /** The folder that was packed. */
  readonly folder: string;
  readonly tarball: string;
}

/** Packs every package into this folder, each after those that it depends on. */
export async function packAll(destination: string): Promise<PackedPackage[]> {
  await removeLeftovers(destination);
  const packages = await Promise.all((await allPackages()).map((one) => prepare(one, destination)));
  // For all of them at once, because npm takes longer to start than to pack.
  const folders = packages.map(({ folder }) => folder);
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', destination, ...folders], {
    cwd: ROOT,
  });
  return packages;
}

/** Of every version, so that `dist/*.tgz` names only what is packed now. The runtimes need not be fetched again. */
async function removeLeftovers(destination: string): Promise<void> {
  const leftovers = glob('{shiftfeed*,LICENSES.txt,SHA256SUMS}', { cwd: destination });
  for (const name of await Array.fromAsync(leftovers))
    await rm(join(destination, name), { recursive: true, force: true });
}

/** Makes the folder of a package, from which it is packed. */
export async function prepare(source: Package, destination: string): Promise<PackedPackage> {
  const { name, version } = source.manifest;
  const fileName = name.replace(/^@/, '').replaceAll('/', '-');
  const folder = join(destination, fileName);
  for (const left of [folder, `${folder}.whole`]) await rm(left, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await compileWithCommon(source, folder);
  await copyOtherFiles(source, folder);
  await renameEndings(folder);
  const manifest = publishedManifest(source.manifest);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  if (name === '@shiftfeed/calendar') await writeCalendarFiles(folder);
  await setModes(folder);
  const { exports = {} } = manifest as { exports?: Record<string, string> };
  return { source, name, version, exports, folder, tarball: join(destination, `${fileName}-${version}.tgz`) };
}

/** As everybody has them, whatever the umask of who packs. npm makes commands executable. */
async function setModes(folder: string): Promise<void> {
  for await (const entry of glob('**', { cwd: folder, withFileTypes: true }))
    if (entry.isFile()) await chmod(join(entry.parentPath, entry.name), 0o644);
}

async function compileWithCommon(source: Package, folder: string): Promise<void> {
  if (source.manifest.devDependencies?.[COMMON] === undefined) return compile(source, source.folder, folder);
  const whole = `${folder}.whole`;
  try {
    await copyWithCommon(source, foldersOf(source.manifest), whole);
    await compile(source, whole, folder);
  } finally {
    await rm(whole, { recursive: true, force: true });
  }
}

/** Types are checked by `npm run types`, so that this is fast. */
async function compile({ folder: source, manifest }: Package, from: string, folder: string): Promise<void> {
  const project = `${folder}.tsconfig.json`;
  const settings = {
    extends: join(source, 'tsconfig.json'),
    compilerOptions: {
      allowJs: false,
      noCheck: true,
      noEmit: false,
      rootDir: from,
      outDir: folder,
      declaration: manifest.exports !== undefined,
      sourceMap: true,
      inlineSources: true,
      rewriteRelativeImportExtensions: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: foldersOf(manifest).map((name) => join(from, name)),
    exclude: [],
  };
  await writeFile(project, JSON.stringify(settings));
  try {
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', project]);
  } finally {
    await rm(project);
  }
}

/** `src`, and the folders of what else the package exports or puts on the path. */
function foldersOf({ exports = {}, bin = {} }: Manifest): string[] {
  const targets = [exports, bin].flatMap((map) => (typeof map === 'string' ? [map] : Object.values(map)));
  const folders = targets.map((target) => target.replace(/^\.\//, '').split('/')[0] ?? '');
  return [...new Set(['src', ...folders])];
}

const FOR_SCRIPTS_OF_CLONES = 'bin/node.js';

const FOR_OPERATORS = ['deploy/*.{service,socket}', 'deploy/{haproxy.cfg,nginx.conf}', 'deploy/monitoring/*'];

/** What stands beside the sources (SQL, pages, styles), what is served as it is, what operators need, and what every reader expects. */
async function copyOtherFiles(source: Package, folder: string): Promise<void> {
  const texts = [
    [join(source.folder, 'README.md'), 'README.md'],
    [join(ROOT, 'LICENSE'), 'LICENSE'],
    [join(ROOT, 'CHANGELOG.md'), 'CHANGELOG.md'],
  ];
  const others = (await otherFiles(source)).map((name) => [join(source.folder, name), name]);
  for (const [from = '', name = ''] of [...texts, ...others]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await cp(from, join(folder, name));
  }
}

/** By their paths in the package. */
export async function otherFiles({ folder, manifest }: Package): Promise<string[]> {
  const patterns = [
    ...foldersOf(manifest).map((name) => `${name}/**/*.*`),
    ...FOR_OPERATORS,
    'docs/*.{md,json}',
  ];
  const exclude = ['**/*.ts', '**/tsconfig.json', FOR_SCRIPTS_OF_CLONES];
  return (await Array.fromAsync(glob(patterns, { cwd: folder, exclude }))).sort();
}

/** The compiler renames modules in imports, but neither in `new URL(…)` nor in JavaScript, such as that of `bin`. */
async function renameEndings(folder: string): Promise<void> {
  for await (const name of glob('**/*.js', { cwd: folder })) {
    const file = join(folder, name);
    const script = await readFile(file, 'utf8');
    const renamed = script.replaceAll(/((?:new URL|import)\('\.[^']+\.)ts'/g, "$1js'");
    if (renamed !== script) await writeFile(file, renamed);
  }
}

/** What only a clone needs. `private` keeps a clone itself, whose TypeScript does not run elsewhere, from being published. */
const FOR_CLONES = ['private', 'workspaces', 'scripts', 'devDependencies'];

/** The package.json that is published. */
function publishedManifest(source: Manifest): Manifest {
  const kept = Object.fromEntries(Object.entries(source).filter(([key]) => !FOR_CLONES.includes(key)));
  return {
    ...kept,
    name: source.name,
    version: source.version,
    ...(source.exports === undefined ? {} : entriesOf(source.exports)),
  };
}

/** What can be imported, as JavaScript; and the same for bundlers and compilers that do not know `exports`. */
function entriesOf(source: NonNullable<Manifest['exports']>): Record<string, unknown> {
  const modules = Object.entries(typeof source === 'string' ? { '.': source } : source);
  const exports = Object.fromEntries(modules.map(([key, target]) => [key, target.replace(/\.ts$/, '.js')]));
  const typed = modules.filter(([, target]) => target.endsWith('.ts'));
  const types = Object.fromEntries(
    typed.map(([key, target]) => [key.replace('./', ''), [target.replace(/\.ts$/, '.d.ts')]]),
  );
  const { '.': [own] = [], ...others } = types;
  const forOthers = Object.keys(others).length === 0 ? {} : { typesVersions: { '*': others } };
  return { exports, main: exports['.'], types: own, ...forOthers };
}
