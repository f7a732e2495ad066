/** The desk as nobody should use it: mutated files are uploaded, and answers given that nobody asked for. */

import { readdir } from 'node:fs/promises';
import { issueKey } from '../../src/feed/access/token.ts';
import { importDocument } from '../../src/import/import.ts';
import type { DeskRole } from '../../src/store/admin/tokens.ts';
import { openStore } from '../../src/store/open.ts';
import { type Visitor, visitorWith } from '../../test/desk/desk.ts';
import { exitOf, type Server, start, whenReady } from '../../test/support/cli.ts';
import { type Cleanup, newFolder, newStoreUrl } from '../../test/support/database.ts';
import { megabytesOf } from '../../test/support/processes.ts';
import { type Draw, makeDraw } from '../draw.ts';
import { drawFile, EXAMPLE, EXTENSIONS, FILE_KINDS } from './imports.ts';

export type DeskTarget = Awaited<ReturnType<typeof startDeskTarget>>;

/** Kept files of one account. */
const MAX_FOLDERS = 8;
const MAX_MEMORY_MB = 400;

/** On a database of its own, because it is written to. */
export async function startDeskTarget(context: Cleanup) {
  const folder = await newFolder(context);
  const databaseUrl = await newStoreUrl(context);
  const store = await openStore(databaseUrl, { missing: 'create' });
  context.after(() => store.close());
  await importDocument(store, JSON.parse(String(EXAMPLE)), { replace: false, dryRun: false });
  const accountId = (await store.accounts())[0]?.id ?? 0;
  const args = ['desk', '--port', '0', '--log-level', 'info', '--trust-proxy', 'loopback'];
  const desk = await whenReady(context, start(args, { databaseUrl, env: { TMPDIR: folder } }));
  const keys: string[] = [];
  const visitorOf = async (role: DeskRole) => {
    const facts = { accountId, label: `Person of ${role}`, role, expiresAtMs: null };
    const key = (await issueKey(store, facts, Date.now())) ?? '';
    keys.push(key);
    return visitorWith(desk.url, `shiftfeed_desk=${key}`);
  };
  return {
    url: desk.url,
    visitors: { planner: await visitorOf('planner'), owner: await visitorOf('owner') },
    end: () => endDesk(desk, folder, keys),
  };
}

/** Throws unless it lives, has said nothing in its log, and kept within its limits. Ends it. */
async function endDesk(
  { url, child, complaints }: Server,
  folder: string,
  keys: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const isAlive = child.exitCode === null && (await fetch(`${url}/healthz`)).ok;
  if (!isAlive) throw new Error(`The desk ended with ${child.exitCode ?? 'nothing, but does not answer'}.`);
  const log = complaints();
  const secret = [...keys, 'Person of', 'hostile-', 'Kitchen', 'Ada'].find((text) => log.includes(text));
  if (secret !== undefined) throw new Error(`The log of the desk has ${secret}.`);
  const megabytes = megabytesOf(child.pid, 'VmHWM');
  if (megabytes > MAX_MEMORY_MB) throw new Error(`The desk has used ${megabytes} MB.`);
  const [own = ''] = await readdir(folder);
  const kept = await readdir(`${folder}/${own}`);
  if (kept.length > MAX_FOLDERS) throw new Error(`The desk keeps ${kept.length} files of one account.`);
  await exitOf(child);
  const left = await readdir(folder);
  if (left.length > 0) throw new Error(`The desk left ${left.join()} behind.`);
  return { 'most memory of the desk, in MB': megabytes };
}

const KINDS_OF_RESULT = ['questions', 'mistakes', 'preview', 'imported', 'failed'];
/** The page would have to hold it, and everybody waits while the desk writes it. */
const MAX_RESULT_BYTES = 1_000_000;

/** Uploads a mutated file. Says what became of it. */
export async function tryDeskFile(seed: number, { visitors }: DeskTarget): Promise<string[]> {
  const draw = makeDraw(seed, 'desk file');
  const visitor = visitors[draw.pick(['planner', 'owner'] as const)];
  const kind = draw.pick(FILE_KINDS);
  const name = `hostile-${draw.pick(['', '<b>', '../', '\u202e', "'", '😀'])}.${EXTENSIONS[kind]}`;
  const id = await visitor.upload(name, new Uint8Array(drawFile(draw, kind)));
  let result = await judged(visitor, id);
  if (draw.chance(0.3)) {
    await visitor.post(`imports/${id}/read`, { answers: drawAnswers(draw) });
    result = await judged(visitor, id);
  }
  if (result.kind === 'preview' && draw.chance(0.5)) {
    await visitor.get(`imports/${id}/changes`);
    await visitor.post(`imports/${id}/import`, { digest: String(result.digest) });
    result = await judged(visitor, id);
  }
  if (draw.chance(0.5)) await visitor.send('DELETE', `imports/${id}`);
  return [`files at the desk that ended as ${result.kind}`];
}

async function judged(visitor: Visitor, id: string) {
  const result = await visitor.resultOf(id);
  const text = JSON.stringify(result);
  const isCrash = /internal error|ended\.|\n {4}at |\b(?:Type|Range|Reference|Syntax)Error\b/.test(text);
  if (!KINDS_OF_RESULT.includes(result.kind) || isCrash || text.length > MAX_RESULT_BYTES)
    throw new Error(`A file at the desk ended as ${text.slice(0, 1_000)}`);
  return result;
}

function drawAnswers(draw: Draw): [string, string][] {
  const options = 'published-from group year date-format sheet codes replace from time-zone x'.split(' ');
  const values = [...'2026-11-01 Bar 2027 D/M/YYYY true __proto__ F=9-17'.split(' '), '', 'x'.repeat(5_000)];
  return draw.some(options, 4).map((option) => [option, draw.pick(values)]);
}
