/**
 * A package together with what it uses of `@shiftfeed/common`, which is not published: its modules become files of the
 * package, so that nobody has to install anything besides. Only modules that are imported come along. `@shiftfeed/sheets`
 * comes along as a whole.
 */

import { cp, glob, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { COMMON, type Package, ROOT, SHEETS } from './packages.ts';

const SRC_OF_COMMON = join(ROOT, 'common/src');
const FROM_COMMON = new RegExp(`'${COMMON}/([\\w/-]+)'`, 'g');
const FROM_BESIDE = /from '(\.[^']+\.ts)'/g;

/** Copies the modules in the folders of a package, with those that they need. */
export async function copyWithCommon(source: Package, folders: readonly string[], to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await cp(join(source.folder, 'package.json'), join(to, 'package.json'));
  // What else the modules import is found from there.
  await symlink(join(ROOT, 'node_modules'), join(to, 'node_modules'));
  const copied = new Set<string>();
  const copy = async (from: string, file: string) => {
    const text = await readFile(from, 'utf8');
    await mkdir(dirname(join(to, file)), { recursive: true });
    await writeFile(
      join(to, file),
      text
        .replaceAll(FROM_COMMON, (_, name) => `'${pathTo(`src/common/${name}.ts`, file)}'`)
        .replaceAll(`'${SHEETS}'`, () => `'${pathTo('src/sheets/src/door.ts', file)}'`),
    );
    for (const [, name] of text.matchAll(FROM_COMMON)) {
      await copyModule(`${name}.ts`, join(to, 'src/common'), copied);
    }
  };
  const modules = folders.map((name) => `${name}/**/*.ts`);
  for await (const file of glob(modules, { cwd: source.folder })) await copy(join(source.folder, file), file);
  if (source.manifest.devDependencies?.[SHEETS] === undefined) return;
  for await (const file of glob('{src,languages}/**/*.{ts,json}', { cwd: join(ROOT, 'sheets') }))
    await copy(join(ROOT, 'sheets', file), join('src/sheets', file));
}

/** The path of a module, as the file of a package has to name it. */
function pathTo(module: string, importer: string): string {
  const path = relative(dirname(importer), module);
  return path.startsWith('.') ? path : `./${path}`;
}

/** Copies a module and all that it imports. */
async function copyModule(name: string, to: string, copied: Set<string>): Promise<void> {
  if (copied.has(name)) return;
  copied.add(name);
  const text = await readFile(join(SRC_OF_COMMON, name), 'utf8');
  await mkdir(dirname(join(to, name)), { recursive: true });
  await writeFile(join(to, name), text);
  for (const [, path = ''] of text.matchAll(FROM_BESIDE))
    await copyModule(join(dirname(name), path), to, copied);
}
