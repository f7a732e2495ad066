import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Options that let this Node say of itself that it is an old one. What it starts is not told so. */
export const OLD_NODE_ARGS = [
  '--import',
  'data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "20.0.0" } })',
];

/** Those on this machine that are old enough to need a newer one, and new enough to start it. */
export function oldNodesOnPath(): [path: string, version: string][] {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const old = paths.flatMap((path): [string, string][] => {
    const version = existsSync(path)
      ? spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.trim()
      : '';
    const major = Number(/^v(\d+)\./.exec(version)?.[1]);
    return major >= 20 && major < 26 ? [[path, version]] : [];
  });
  // The same one is often found twice, as /bin and as /usr/bin.
  return [...new Map(old.map(([path, version]) => [version, path]))].map(([version, path]) => [
    path,
    version,
  ]);
}
