import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withCleanup } from '../cleanup.ts';
import type { Order, Outcome, Part } from '../part.ts';
import { makeTally } from '../tally.ts';
import { canConfine, serveConfined } from './confined.ts';
import { audit, unexplainedDependencies } from './dependencies.ts';

export const supply: Part = {
  name: 'supply',
  promises: [
    'No package that an install brings along has a known weakness, and docs/decisions.md says why each is there.',
    'SECURITY.md says how to report a weakness.',
    'The service runs without root, on a file system that it cannot write to, but for the folder of its database.',
  ],
  trial:
    '`npm audit` is asked about the packages of an install. The direct ones are looked up in docs/decisions.md. A server is ' +
    'started as `nobody` in a file system that is mounted read-only, and lists the demo account.',
  unit: 'times',
  amounts: { quick: 1, whole: 1 },
  run,
};

async function run({ seed }: Order): Promise<Outcome> {
  const tally = makeTally();
  const { explained, unexplained } = await unexplainedDependencies();
  if (unexplained.length > 0) tally.fail(seed, `Nothing says why there is ${unexplained.join(', ')}.`);
  const weaknesses = await audit();
  if (weaknesses !== undefined && weaknesses > 0)
    tally.fail(seed, `npm audit tells ${weaknesses} weaknesses.`);
  const policy = await readFile(join(import.meta.dirname, '../../SECURITY.md'), 'utf8').catch(() => '');
  if (!/report/i.test(policy)) tally.fail(seed, 'SECURITY.md does not say how to report.');
  if (canConfine()) {
    await tally.tryOne(seed, async () => {
      await withCleanup(serveConfined);
      return ['servers without rights on a read-only file system'];
    });
  }
  return {
    figures: {
      'direct dependencies that are explained': explained,
      'weaknesses by npm audit':
        weaknesses ?? 'not told: the registry of this machine does not answer npm audit',
      ...(canConfine()
        ? {}
        : {
            'server without rights':
              'not tried: that needs root, bwrap and setpriv, and a project that everybody can read',
          }),
      ...tally.figures,
    },
    failures: tally.failures,
  };
}
