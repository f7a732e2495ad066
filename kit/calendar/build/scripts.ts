/**
 * The texts of the scripts. In a clone, esbuild makes them from the modules of `src`. `npm run pack` writes them into the
 * package, in the place of this module.
 */

import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

const PACKAGE = join(import.meta.dirname, '..');
/** The modules that become scripts of their own, loaded when they are needed. */
const ON_DEMAND = ['grids', 'board'];

/** By their names. They load each other. */
export const SCRIPTS: Readonly<Record<string, string>> = bundled(
  {
    'shift-calendar': 'src/shift-calendar.ts',
    ...Object.fromEntries(ON_DEMAND.map((module) => [`shift-calendar-${module}`, `src/${module}.ts`])),
    'picked-week': '@shiftfeed/common/picked-week',
    listen: '../client/src/listen.ts',
  },
  ON_DEMAND.map((module) => `./${module}.ts`),
);

/** All of the calendar as one script. */
export function wholeScript(): string {
  const { 'shift-calendar.js': text = '' } = bundled({ 'shift-calendar': 'src/shift-calendar.ts' }, []);
  return text;
}

function bundled(entryPoints: Record<string, string>, external: string[]): Record<string, string> {
  const { outputFiles } = esbuild().buildSync({
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
  });
  return Object.fromEntries(
    outputFiles.map(({ path, text }) => [
      basename(path),
      // For esbuild, what is loaded on demand stays a module of `src`. A browser has to ask for its script.
      text.replaceAll(/import\("\.\/(\w+)\.ts"\)/g, 'import("./shift-calendar-$1.js")'),
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
