/**
 * What the executable has inside: all modules of the packages that npm would install as one, a module for each thread, and
 * the files that are read or served. Each keeps the address that it has in the package: see `src/install/files.ts`.
 */

import { glob, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { RUNTIMES } from '../bin/runtime.js';
import { THIS_PLATFORM } from './executable.ts';
import { otherFiles, type PackedPackage } from './pack.ts';
import { ROOT } from './packages.ts';

export interface Bundle {
  readonly main: string;
  /** Address inside → file. */
  readonly assets: Readonly<Record<string, string>>;
  /** The licences of everything that is inside, as one text. */
  readonly licences: string;
}

/** Modules that are run by a process of their own: see `startProcess` of `src/install/files.ts`. */
const PROCESSES = ['src/desk/reader-process.js'];

const MAIN = `import { main } from './src/cli/main.js';
const processes = {
${PROCESSES.map((module) => `  'inside:/${module}': () => import('./${module}'),`).join('\n')}
};
const run = processes[process.argv[2]];
await (run === undefined ? main(process.argv) : run());
`;

/** Bundled packages may ask for modules of Node. There are no others in the executable. */
const REQUIRE = `const require = (name) => {
  const found = process.getBuiltinModule(name);
  if (found === undefined) throw Object.assign(new Error('Cannot find module ' + name), { code: 'MODULE_NOT_FOUND' });
  return found;
};`;

/** Makes it in a folder, from what was packed. */
export async function makeBundle(packed: readonly PackedPackage[], folder: string): Promise<Bundle> {
  const own = packed.find(({ name }) => name === 'shiftfeed');
  if (own === undefined) throw new Error('There is no package "shiftfeed".');
  const maker = makeBundler(packed, own.folder, folder);
  const modules = join(dirname(own.folder), 'node_modules');
  await symlink(join(ROOT, 'node_modules'), modules);
  try {
    return await bundleAll(own, maker);
  } finally {
    await rm(modules);
  }
}

async function bundleAll(own: PackedPackage, maker: ReturnType<typeof makeBundler>): Promise<Bundle> {
  const main = await maker.bundle({ contents: MAIN, resolveDir: own.folder }, 'main.js');
  const assets: Record<string, string> = {};
  for (const script of maker.scripts) {
    if (PROCESSES.includes(script)) continue;
    const contents = `import './${script}';\n`;
    assets[`/${script}`] = await maker.bundle({ contents, resolveDir: own.folder }, script);
  }
  for await (const file of glob('src/{desk/page,http/{explorer,look}}/*.js', { cwd: own.folder }))
    assets[`/${file}`] = join(own.folder, file);
  for (const file of await otherFiles(own.source)) {
    // What operators need lies beside the executable, and what npm needs nowhere. Of the manual, only one page is served.
    if (/^(src\/|docs\/(api\.md|openapi\.json)$)/.test(file)) assets[`/${file}`] = join(own.folder, file);
  }
  // Scripts are found in the order in which modules happen to be read.
  const sorted = Object.fromEntries(Object.entries(assets).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { main, assets: sorted, licences: await licencesOf(maker.packages) };
}

function makeBundler(packed: readonly PackedPackage[], own: string, folder: string) {
  /** Of threads, by their paths in the package. Those that a script starts are added when it is bundled. */
  const scripts = new Set<string>();
  const [nodePackage = ''] = RUNTIMES[THIS_PLATFORM].split('/');
  /** Packages that are not ours. That of Node has its licence and those of its parts. */
  const packages = new Set<string>([nodePackage]);
  const addresses: Plugin = {
    name: 'addresses',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        const inPackage = relative(own, path).split(sep).join('/');
        if (!inPackage.startsWith('src/')) return undefined;
        const text = await readFile(path, 'utf8');
        const address = `inside:/${inPackage}`;
        for (const [, script = ''] of text.matchAll(/new URL\('(\.[^']+\.js)', import\.meta\.url\)/g)) {
          scripts.add(new URL(script, address).pathname.slice(1));
        }
        return { contents: text.replaceAll('import.meta.url', `'${address}'`), loader: 'js' };
      });
    },
  };

  async function bundle(stdin: { contents: string; resolveDir: string }, name: string): Promise<string> {
    const outfile = join(folder, name);
    const { metafile, outputFiles } = await build({
      stdin,
      outfile,
      // Paths are a part of the text. From there on, they are the same wherever it is made.
      absWorkingDir: dirname(own),
      preserveSymlinks: true,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node26',
      banner: { js: REQUIRE },
      // What stack traces call it: a module that is no file would be named by all of its text.
      footer: { js: `//# sourceURL=inside:/${name}` },
      // An error that nobody catches is printed with the line that threw it.
      lineLimit: 160,
      alias: aliasesOf(packed),
      // A faster client of PostgreSQL, which is never asked for.
      external: ['pg-native'],
      plugins: [addresses],
      minifyWhitespace: true,
      minifySyntax: true,
      metafile: true,
      write: false,
      logLevel: 'error',
    });
    const text = outputFiles[0]?.text ?? '';
    if (/\bimport\.meta\b/.test(text))
      throw new Error(`A module in ${name} asks where it lies: give it an address.`);
    for (const input of Object.keys(metafile.inputs)) {
      const [, library] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
      if (library !== undefined) packages.add(library);
    }
    await mkdir(dirname(outfile), { recursive: true });
    await writeFile(outfile, text);
    return outfile;
  }
  return { bundle, scripts, packages };
}

/** What is packed takes the place of what lies in the clone. */
function aliasesOf(packed: readonly PackedPackage[]): Record<string, string> {
  return Object.fromEntries(
    packed.flatMap(({ name, folder, exports }) =>
      Object.entries(exports).map(([key, target]) => [name + key.slice(1), join(folder, target)]),
    ),
  );
}

async function licencesOf(packages: ReadonlySet<string>): Promise<string> {
  const texts = [await licenceIn('Shiftfeed', ROOT)];
  for (const name of [...packages].sort())
    texts.push(await licenceIn(name, join(ROOT, 'node_modules', name)));
  return texts.join('\n');
}

async function licenceIn(name: string, folder: string): Promise<string> {
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  const text = await readFile(join(folder, file ?? 'package.json'), 'utf8');
  // Some packages only name theirs.
  const licence = file === undefined ? `${JSON.parse(text).license}, as its package.json says.` : text.trim();
  return `${name}\n${'='.repeat(name.length)}\n\n${licence}\n`;
}
