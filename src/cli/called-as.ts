/** How the program was called, so that lines to be pasted start this install and no other program of the same name. */

import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, relative, sep } from 'node:path';

/** The words before the arguments. `launcher` is the path by which Node was started, such as a link in a `bin` folder. */
export function calledAs(launcher = process.argv[1] ?? ''): readonly string[] {
  // With --no, npx asks no registry for a package of that name where there is no install. Without --, npx takes --help for itself.
  if (process.env.npm_command === 'exec') return ['npx', '--no', '--', 'shiftfeed'];
  if (foundByName() === realPath(launcher)) return ['shiftfeed'];
  // Only an executable that a shell found by its name is called without a folder, whatever lies in this one.
  if (basename(launcher) === launcher) return [launcher];
  const fromHere = `.${sep}${relative(process.cwd(), launcher)}`;
  const path = fromHere.startsWith(`.${sep}..`) || !existsSync(fromHere) ? launcher : fromHere;
  return path.endsWith('.js') ? ['node', path] : [path];
}

/** What a shell starts for `shiftfeed`. */
function foundByName(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => realPath(join(folder, 'shiftfeed'))).find((path) => path !== undefined);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
