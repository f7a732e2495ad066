/**
 * The scripts that a browser gets, made from the modules of `src` when they are asked for: there is no build step.
 * Modules that belong together are joined to one file, so that a page makes one request for the list and one more for
 * the grids.
 */

import { readFileSync } from 'node:fs';
// As a whole, because Node 20 and Bun have no `stripTypeScriptTypes`. In the package that npm installs, none is needed.
import module from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tighter } from './tighter.ts';
import { withoutUnused } from './unused.ts';

export interface BrowserFile {
  /** As the scripts name each other. They have to be served beside each other, under these names. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const SRC = join(import.meta.dirname, '../src');
/** In the package that npm installs, this file and the modules are JavaScript. */
const ENDING = extname(import.meta.filename);
const CONTENT_TYPE = 'text/javascript; charset=utf-8';

/** Each file by the module that it begins with. */
const ENTRIES: Readonly<Record<string, string>> = {
  [`shift-calendar${ENDING}`]: 'shift-calendar.js',
  [`grids${ENDING}`]: 'shift-calendar-grids.js',
  [`board${ENDING}`]: 'shift-calendar-board.js',
};

/**
 * `shift-calendar.js`, which a page loads, and those that that one loads when they are needed:
 * `shift-calendar-grids.js` for a week or a month, and `shift-calendar-board.js` for a board.
 */
export function browserFiles(): BrowserFile[] {
  return Object.entries(ENTRIES).map(([entry, name]) => ({
    name,
    contentType: CONTENT_TYPE,
    bytes: Buffer.from(scriptOf(entry, false)),
  }));
}

/** All of it as one script, which needs no other file beside it. The package that npm installs has it ready. */
export function singleFile(): BrowserFile {
  const script = scriptOf(`shift-calendar${ENDING}`, true);
  return { name: 'shift-calendar.js', contentType: CONTENT_TYPE, bytes: Buffer.from(script) };
}

/** How the calendar counts weeks, for the explorer of the service, as a script of its own. */
export function pickedWeekFile(): BrowserFile {
  const script = scriptOf(`picked-week${ENDING}`, true);
  return { name: 'picked-week.js', contentType: CONTENT_TYPE, bytes: Buffer.from(script) };
}

const IMPORT = /^import (?:type )?(?:\{[^}]*\} from )?'([^']+)';\n/gm;
const EXPORT_FROM = /^export (type )?\{([^}]*)\} from '([^']+)';\n/gm;
const DYNAMIC_IMPORT = /import\('(\.\/[^']+)'\)/g;
const TOP_LEVEL_NAME = /^(?:export )?(?:async )?(?:const|let|class|function\*?) (\w+)/gm;
const EXPORTED_NAME = /^export (?:async )?(?:const|let|class|function\*?) (\w+)/gm;

const made = new Map<string, string>();

/** Making one takes a tenth of a second, and modules do not change while a process runs. */
function scriptOf(entry: string, isWhole: boolean): string {
  const key = `${entry} ${isWhole}`;
  const script = made.get(key) ?? joinModules(join(SRC, entry), isWhole);
  made.set(key, script);
  return script;
}

/**
 * A module and all that it imports, as one: what is needed comes first, each once. Only the entry exports anything. If
 * it is whole, that includes what would otherwise be loaded on demand.
 */
function joinModules(entry: string, isWhole: boolean): string {
  const parts: string[] = [];
  const done = new Set<string>();
  const names = new Map<string, string>();

  function add(file: string): void {
    if (done.has(file)) return;
    done.add(file);
    const beside = (specifier: string) => fileOf(specifier, file);
    const source = readFileSync(file, 'utf8');
    const onDemand = isWhole ? [...source.matchAll(DYNAMIC_IMPORT)].map(([, name = '']) => name) : [];
    for (const specifier of [...importsOf(source), ...onDemand]) add(beside(specifier));
    for (const specifier of onDemand) {
      parts.push(`const ${moduleName(specifier)} = ${exportsOf(beside(specifier))};\n`);
    }
    const plain = withoutTypes(
      isWhole ? source.replace(DYNAMIC_IMPORT, (_, name: string) => moduleName(name)) : source,
    );
    for (const [, name = ''] of plain.matchAll(TOP_LEVEL_NAME)) {
      const other = names.get(name);
      if (other !== undefined) {
        throw new Error(
          `${basename(file)} and ${other} both have "${name}" at the top level: they are joined.`,
        );
      }
      names.set(name, basename(file));
    }
    const script = withoutComments(plain);
    parts.push(file === entry ? script : script.replace(/^export /gm, ''));
  }

  add(entry);
  return tighter(withoutUnused(parts.join('')));
}

/** In a clone, what packages have in common is a package of its own. In the package that npm installs, it is beside. */
function fileOf(specifier: string, importer: string): string {
  if (specifier.startsWith('.')) return join(dirname(importer), specifier);
  return fileURLToPath(import.meta.resolve(specifier));
}

/** The modules whose values are needed: types are gone by then. */
function importsOf(source: string): string[] {
  const imports = [...source.matchAll(IMPORT)].filter(([text]) => !text.startsWith('import type '));
  const exports = [...source.matchAll(EXPORT_FROM)].filter(([, type]) => type === undefined);
  return [...imports.map((match) => match[1]), ...exports.map((match) => match[3])].filter(
    (specifier) => specifier !== undefined,
  );
}

/**
 * What a script calls the object of a module that it would otherwise load. It is made at the top level: where the
 * import stood, `const { x } = await { x }` would name the `x` that it is about to make.
 */
function moduleName(specifier: string): string {
  return `${basename(specifier, ENDING)}Module`;
}

/** What a module exports, as an object in a script that it is part of. */
function exportsOf(file: string): string {
  const source = readFileSync(file, 'utf8');
  const own = [...source.matchAll(EXPORTED_NAME)].map(([, name]) => name);
  const passedOn = [...source.matchAll(EXPORT_FROM)].filter(([, type]) => type === undefined);
  return `{ ${[...own, ...passedOn.map(([, , names = '']) => names.trim())].join(', ')} }`;
}

function withoutTypes(source: string): string {
  const local = source
    .replace(IMPORT, '')
    .replace(EXPORT_FROM, (_, type: string | undefined, names: string) =>
      type === undefined ? `export {${names}};\n` : '',
    )
    .replace(DYNAMIC_IMPORT, (_, file: string) => `import('./${ENTRIES[basename(file)]}')`);
  return ENDING === '.ts' ? quietly(() => module.stripTypeScriptTypes(local)) : local;
}

function withoutComments(script: string): string {
  return script.replace(/^ *\/\*[\s\S]*?\*\/\n/gm, '').replace(/^ *\/\/.*(\n|$)/gm, '');
}

/**
 * Node warns that stripping types is experimental. It runs this project in the same way, and users cannot do anything
 * about it.
 */
function quietly<Result>(work: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
