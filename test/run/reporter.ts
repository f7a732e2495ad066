/** The reporter of a process that runs test files: tells its parent how each of them went. */

import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import type { Failure, News, Skipped } from './messages.ts';

// biome-ignore lint/correctness/useYield: a reporter is a generator of text, and this one prints none.
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<never> {
  /** The suites and tests that the next one is part of, outermost first: the file itself. */
  let path: string[] = [];
  let passed = 0;
  let failures: Failure[] = [];
  let skipped: Skipped[] = [];

  for await (const { type, data } of events) {
    if (type === 'test:start') path = [...path.slice(0, data.nesting), data.name];
    if (type === 'test:diagnostic' && isComplaint(data)) {
      failures.push({ title: path.slice(1).join(' › '), place: path[0] ?? '', text: data.message });
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;

    path = [...path.slice(0, data.nesting), data.name];
    const title = path.slice(1).join(' › ');
    const isTest = data.details.type !== 'suite';
    if (type === 'test:fail') {
      const text = complaintOf(data.details.error);
      if (text !== undefined) failures.push({ title, place: placeOf(data, path[0]), text });
    } else if (data.skip !== undefined) {
      skipped.push({ title, reason: String(data.skip) });
    } else if (isTest) passed++;

    if (data.nesting > 0) continue;
    const file = data.name;
    if (passed + failures.length + skipped.length === 0) {
      failures.push({ title: '', place: file, text: 'There is no test in this file.' });
    }
    tell({ kind: 'report', report: { file, passed, failures, skipped } });
    [path, passed, failures, skipped] = [[], 0, [], []];
  }
}

function tell(news: News): void {
  process.send?.(news);
}

/** What happens after its test ended fails nobody, so Node only mentions it. */
function isComplaint({ message, level }: { message: string; level?: string }): boolean {
  return level === 'error' || /asynchronous activity after the test ended/.test(message);
}

/** Nothing for a suite or test of which only parts failed: these are told on their own. */
function complaintOf(error: Error & { failureType?: string }): string | undefined {
  if (error.failureType === 'subtestsFailed') return undefined;
  const cause = error.cause ?? error;
  return cause instanceof Error ? textOf(cause) : String(cause);
}

const FRAMES_LEFT_OUT = /^ +at .*(\(?node:|node_modules|Promise\.all|test\/run\/)/;

/** The message and where it comes from, without the frames of Node, of packages and of this runner. */
function textOf(error: Error): string {
  const stack = error.stack ?? String(error);
  const lines = stack.split('\n').filter((line) => !FRAMES_LEFT_OUT.test(line));
  const caused = error.cause instanceof Error ? [`because of ${textOf(error.cause)}`] : [];
  return [...lines, ...caused].join('\n').replaceAll(`file://${process.cwd()}/`, '');
}

/** A test that something else defined for a file has no line in it. */
function placeOf({ file = '', line }: { file?: string; line?: number }, testFile = ''): string {
  return relative(process.cwd(), file) === testFile ? `${testFile}:${line}` : testFile;
}
