import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allPackages, ROOT } from '../../packaging/packages.ts';
import { problemsOf, type ReleaseState } from '../../packaging/release-problems.ts';

const READY: ReleaseState = {
  manifests: [
    { name: '@shiftfeed/client', version: '1.2.0' },
    { name: 'shiftfeed', version: '1.2.0', dependencies: { '@shiftfeed/client': '1.2.0', pg: '8.0.0' } },
  ],
  changelog: '# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2027-01-02\n\n- News.\n\n## 1.1.0 - 2027-01-01\n',
  tags: ['v1.1.0'],
  changes: [],
  dryRun: false,
};

test('a version that is told, tagged nowhere and the same everywhere can be released', () => {
  assert.deepEqual(problemsOf(READY), []);
});

const [client, service] = READY.manifests;
assert.ok(client && service);
const PROBLEMS: [name: string, state: Partial<ReleaseState>, sentence: string][] = [
  [
    'another version in the kit',
    { manifests: [{ ...client, version: '1.1.0' }, service] },
    '@shiftfeed/client has version 1.1.0, not 1.2.0.',
  ],
  [
    'a dependency on another version of the kit',
    { manifests: [client, { ...service, dependencies: { '@shiftfeed/client': '1.1.0' } }] },
    'shiftfeed depends on @shiftfeed/client 1.1.0, not 1.2.0.',
  ],
  ['a tag that exists', { tags: ['v1.1.0', 'v1.2.0'] }, 'The tag v1.2.0 exists already: raise the version.'],
  ['a change that is not committed', { changes: [' M README.md'] }, 'Not committed: M README.md'],
  [
    'a changelog without the version',
    { changelog: '## Unreleased\n\n## 1.2.01 - 2027-01-02\n' },
    'CHANGELOG.md has no heading "## 1.2.0 - YYYY-MM-DD".',
  ],
];
for (const [name, state, sentence] of PROBLEMS) {
  test(`${name} prevents a release`, () => {
    assert.deepEqual(problemsOf({ ...READY, ...state }), [sentence]);
  });
}

test('a dry run accepts news that are not released yet', () => {
  assert.deepEqual(problemsOf({ ...READY, changelog: '## Unreleased\n', dryRun: true }), []);
  assert.notDeepEqual(problemsOf({ ...READY, changelog: '# Changelog\n', dryRun: true }), []);
});

test('the versions of this clone agree', async () => {
  const manifests = (await allPackages()).map(({ manifest }) => manifest);
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  assert.deepEqual(problemsOf({ manifests, changelog, tags: [], changes: [], dryRun: true }), []);
});
