/** Why a version cannot be released, as sentences. */

import type { Manifest } from './packages.ts';

export interface ReleaseState {
  /** The service comes last. Its version is that of the release. */
  readonly manifests: readonly Manifest[];
  readonly changelog: string;
  readonly tags: readonly string[];
  /** The lines of `git status --porcelain`. */
  readonly changes: readonly string[];
  readonly dryRun: boolean;
}

export function problemsOf(state: ReleaseState): string[] {
  const { manifests, changelog, tags, changes, dryRun } = state;
  const version = manifests.at(-1)?.version ?? '';
  return [
    ...manifests.flatMap((manifest) => versionProblems(manifest, manifests, version)),
    ...changelogProblems(changelog, version, dryRun),
    ...(tags.includes(`v${version}`) ? [`The tag v${version} exists already: raise the version.`] : []),
    ...changes.map((change) => `Not committed: ${change.trim()}`),
  ];
}

function versionProblems(manifest: Manifest, manifests: readonly Manifest[], version: string): string[] {
  const { name, dependencies = {} } = manifest;
  const own =
    manifest.version === version ? [] : [`${name} has version ${manifest.version}, not ${version}.`];
  const ours = manifests.filter((other) => other.name in dependencies);
  const needed = ours
    .filter((other) => dependencies[other.name] !== version)
    .map((other) => `${name} depends on ${other.name} ${dependencies[other.name]}, not ${version}.`);
  return [...own, ...needed];
}

/** Before a release, what is new stands under "Unreleased". With the release, it gets the version and the day. */
function changelogProblems(changelog: string, version: string, dryRun: boolean): string[] {
  const headings = headingsOf(changelog);
  const dated = new RegExp(`^${version.replaceAll('.', '\\.')} - \\d{4}-\\d{2}-\\d{2}$`);
  if (headings.some((heading) => dated.test(heading))) return [];
  if (dryRun && headings.includes('Unreleased')) return [];
  return [`CHANGELOG.md has no heading "## ${version} - YYYY-MM-DD".`];
}

function headingsOf(changelog: string): string[] {
  return [...changelog.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
}
