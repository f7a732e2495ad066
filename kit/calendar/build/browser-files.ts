/**
 * The scripts that a browser gets. The package that npm installs has them ready in `browser/`, where `npm run pack` puts
 * them. In a clone, esbuild makes them from the modules of `src` when they are first asked for.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname, join, relative } from 'node:path';

export interface BrowserFile {
  /** As the scripts name each other. They have to be served beside each other, under these names. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const PACKAGE = join(import.meta.dirname, '..');
const IS_CLONE = extname(import.meta.filename) === '.ts';
const SPLIT = 'split';
/** The modules that become scripts of their own, loaded when they are needed. */
const ON_DEMAND = ['grids', 'board'];

/**
 * `shift-calendar.js`, which a page loads, and those that that one loads when they are needed:
 * `shift-calendar-grids.js` for a week or a month, and `shift-calendar-board.js` for a board.
 */
export function browserFiles(): BrowserFile[] {
  const names = ['shift-calendar', ...ON_DEMAND.map((module) => `shift-calendar-${module}`)];
  return names.map((name) => fileAt(`${SPLIT}/${name}.js`));
}

/** How the calendar counts weeks, for the explorer of the service, as a script of its own. */
export function pickedWeekFile(): BrowserFile {
  return fileAt(`${SPLIT}/picked-week.js`);
}

function fileAt(path: string): BrowserFile {
  const bytes = IS_CLONE ? madeScripts().get(path) : readFileSync(join(PACKAGE, 'browser', path));
  if (bytes === undefined) throw new Error(`There is no script ${path}.`);
  return { name: basename(path), contentType: 'text/javascript; charset=utf-8', bytes };
}

let made: Map<string, Uint8Array> | undefined;

/**
 * All scripts, by their paths in `browser/`. The one beside `split/` is all of it, and needs no other file. Modules do
 * not change while a process runs.
 */
export function madeScripts(): ReadonlyMap<string, Uint8Array> {
  made ??= makeScripts();
  return made;
}

function makeScripts(): Map<string, Uint8Array> {
  const { buildSync } = esbuild();
  const build = (entryPoints: Record<string, string>, external: string[]) =>
    buildSync({
      absWorkingDir: PACKAGE,
      entryPoints,
      external,
      outdir: 'browser',
      bundle: true,
      format: 'esm',
      target: 'es2022',
      minify: true,
      charset: 'utf8',
      write: false,
    }).outputFiles;
  const onDemand = ON_DEMAND.map((module) => [`${SPLIT}/shift-calendar-${module}`, `src/${module}.ts`]);
  const split = build(
    {
      [`${SPLIT}/shift-calendar`]: 'src/shift-calendar.ts',
      ...Object.fromEntries(onDemand),
      [`${SPLIT}/picked-week`]: '@shiftfeed/common/picked-week',
    },
    ON_DEMAND.map((module) => `./${module}.ts`),
  );
  const whole = build({ 'shift-calendar': 'src/shift-calendar.ts' }, []);
  return new Map(
    [...split, ...whole].map(({ path, text }) => [
      relative(join(PACKAGE, 'browser'), path),
      // For esbuild, what is loaded on demand stays a module of `src`. A browser has to ask for its script.
      Buffer.from(text.replaceAll(/import\("\.\/(\w+)\.ts"\)/g, 'import("./shift-calendar-$1.js")')),
    ]),
  );
}

/** A development dependency. What npm installs does without. */
function esbuild(): typeof import('esbuild') {
  try {
    return createRequire(import.meta.url)('esbuild');
  } catch (cause) {
    const advice = 'run "npm ci" without --omit, or install what "npm run pack" makes';
    throw new Error(`In a clone, the scripts of the calendar are made by esbuild: ${advice}.`, { cause });
  }
}
