/**
 * Prints which files and functions of src/ and common/ a warm request runs through: `npm run trace`. For whoever wants to
 * know how long the way from socket to bytes is.
 */

import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import { acme, shift } from '../test/support/document.ts';
import { startService } from '../test/support/service.ts';

const WARM_UP_REQUESTS = 20;
const PROJECT = pathToFileURL(`${import.meta.dirname}/../`).href;

const cleanups: (() => void | Promise<void>)[] = [];
const service = await startService({ after: (work) => cleanups.push(work) }, { now: '2026-11-15T12:00:00Z' });
await service.import(acme([shift('2026-12-01')]));
const headers = { authorization: `Bearer ${await service.token('acme')}`, 'accept-encoding': 'identity' };
const request = async () => (await fetch(`${service.url}/acme/api/v1/shifts`, { headers })).text();
for (let i = 0; i < WARM_UP_REQUESTS; i++) await request();

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
await request();
const { result } = await session.post('Profiler.takePreciseCoverage');
session.disconnect();

let functionCount = 0;
let fileCount = 0;
for (const { url, functions } of result.toSorted((a, b) => a.url.localeCompare(b.url))) {
  const path = url.replace(PROJECT, '');
  const called = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
  if (!/^(src|common)\//.test(path) || called.length === 0) continue;
  fileCount++;
  functionCount += called.length;
  const names = called.map(({ functionName }) => functionName || '(anonymous)');
  process.stdout.write(`${path.padEnd(40)} ${names.join(', ')}\n`);
}
process.stdout.write(`${fileCount} files, ${functionCount} functions\n`);
for (const cleanup of cleanups.reverse()) await cleanup();
