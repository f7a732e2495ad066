/** A reader that does what the name of the file says. Many are started, so each loads only what it needs. */

import { existsSync } from 'node:fs';
import type { UploadTask } from '../../src/desk/task.ts';
import { endWithParent } from '../../src/install/files.ts';

/** So that the channel stays open. */
const forever = () => new Promise<void>(() => setInterval(() => undefined, 1_000));

const DEEDS: Readonly<Record<string, (task: UploadTask) => Promise<void>>> = {
  'waits.csv': forever,
  'spins.csv': async () => {
    endWithParent();
    for (;;);
  },
  'throws.csv': async () => {
    throw new Error('secret of the file');
  },
  'grows.csv': async () => {
    const all: string[][] = [];
    for (;;) all.push(Array.from({ length: 100_000 }, (_, i) => `${all.length} ${i}`));
  },
  'swells.csv': async () => {
    const all: Buffer[] = [];
    setInterval(() => all.push(Buffer.alloc(50_000_000, 1)), 20);
    await forever();
  },
  /** Until there is a file beside the upload. */
  'takes its time.csv': async ({ folder }) => {
    while (!existsSync(`${folder}/go`)) await new Promise((resolve) => setTimeout(resolve, 10));
    await send({ result: { kind: 'failed', message: 'as asked' } });
  },
  'plan.csv': async ({ kind }) =>
    send({ result: kind === 'read' ? { kind: 'preview', digest: 'x' } : { kind: 'imported' } }),
  /** Reads at once, and imports when there is a file beside the upload. */
  'imports slowly.csv': async ({ kind, folder }) => {
    if (kind === 'read') return send({ result: { kind: 'preview', digest: 'x' } });
    while (!existsSync(`${folder}/go`)) await new Promise((resolve) => setTimeout(resolve, 10));
    return send({ result: { kind: 'imported' } });
  },
  'answers.csv': async () => send({ result: { kind: 'failed', message: 'as asked' } }),
  'commits and dies.csv': async (task) => {
    await importInto(task, async () => undefined);
    // Without a new revision, so nobody notices who does not read all groups.
    const { runSql } = await import('../support/database.ts');
    if (task.database.startsWith('sqlite:')) runSql(task.database, 'UPDATE groups SET private = 1');
    die();
  },
  'dies before it commits.csv': (task) => importInto(task, die),
};

async function importInto(task: UploadTask, beforeCommit: () => Promise<void>): Promise<void> {
  const { importDocument } = await import('../../src/import/import.ts');
  const { openStore } = await import('../../src/store/open.ts');
  const store = await openStore(task.database, { missing: 'create' });
  await importDocument(
    store,
    { account: { slug: task.account }, groups: [{ id: 1, name: 'Bar' }] },
    {
      replace: false,
      dryRun: false,
      origin: { who: task.who, file: task.name },
      async onEntry(entryId) {
        await send({ entryId });
        await beforeCommit();
      },
    },
  );
}

async function die(): Promise<void> {
  process.kill(process.pid, 'SIGKILL');
  await forever();
}

function send(message: object): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, {}, () => resolve()));
}

process.once('disconnect', () => process.exit());
process.once('message', async (task: UploadTask) => {
  await DEEDS[task.name]?.(task);
  process.exit();
});
