/** The package.json that is published. */

import type { Manifest } from './packages.ts';

/** What only a clone needs. `private` keeps a clone itself, whose TypeScript does not run elsewhere, from being published. */
const FOR_CLONES = ['private', 'workspaces', 'scripts', 'devDependencies', 'overrides'];

export function publishedManifest(source: Manifest): Manifest {
  const kept = Object.fromEntries(Object.entries(source).filter(([key]) => !FOR_CLONES.includes(key)));
  const dependencies = { ...source.dependencies, ...pinned(source) };
  return {
    ...kept,
    name: source.name,
    version: source.version,
    ...(source.exports === undefined ? {} : { exports: asJavaScript(source.exports) }),
    ...(Object.keys(dependencies).length === 0 ? {} : { dependencies }),
    // It depends on a package that reports installs to somebody. A bundled copy does without.
    ...('swagger-ui-dist' in dependencies ? { bundleDependencies: ['swagger-ui-dist'] } : {}),
  };
}

/** Overrides hold in a clone only. As a dependency, the same version is what npm shares with those that need it. */
function pinned({ overrides = {} }: Manifest): Record<string, string> {
  return Object.fromEntries(Object.entries(overrides).filter(([, version]) => /^\d/.test(version)));
}

function asJavaScript(exports: NonNullable<Manifest['exports']>): NonNullable<Manifest['exports']> {
  const renamed = (target: string) => target.replace(/\.ts$/, '.js');
  if (typeof exports === 'string') return renamed(exports);
  return Object.fromEntries(Object.entries(exports).map(([key, target]) => [key, renamed(target)]));
}
