/** The reporter of a process that runs test files: tells and notes how each of them went. */

import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { type Result, tell } from './results.ts';

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  /** The suites and tests that the next one is part of, outermost first: the file itself. */
  let path: string[] = [];
  let passed = 0;
  let failures: Result['failures'][number][] = [];
  let skipped: string[] = [];
  const fail = (text: string, place = path[0]) => {
    failures.push({ head: `✖ ${[place, path.slice(1).join(' › ')].filter(Boolean).join('  ')}`, text });
  };

  for await (const { type, data } of events) {
    if (type === 'test:diagnostic' && isComplaint(data)) fail(data.message);
    if (type !== 'test:start' && type !== 'test:pass' && type !== 'test:fail') continue;
    path = [...path.slice(0, data.nesting), data.name];
    if (type === 'test:start') continue;
    if (type === 'test:fail') {
      // Parts of a suite are told on their own.
      const { cause, failureType } = data.details.error as Error & { failureType?: string };
      if (failureType !== 'subtestsFailed') fail(textOf(cause), placeOf(data, path[0]));
    } else if (data.skip !== undefined) skipped.push(String(data.skip));
    else if (data.details.type !== 'suite') passed++;

    if (data.nesting > 0) continue;
    if (passed + failures.length + skipped.length === 0) fail('There is no test in this file.');
    yield tell({ file: data.name, passed, failures, skipped });
    [passed, failures, skipped] = [0, [], []];
  }
}

/** What happens after its test ended fails nobody, so Node only mentions it. */
function isComplaint({ message, level }: { message: string; level?: string }): boolean {
  return level === 'error' || /asynchronous activity after the test ended/.test(message);
}

const FRAMES_LEFT_OUT = /^ +at .*(\(?node:|node_modules|Promise\.all|test\/run\/)/;

/** The message and where it comes from, without the frames of Node, of packages and of this runner. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? String(error)).split('\n').filter((line) => !FRAMES_LEFT_OUT.test(line));
  if (error.cause instanceof Error) lines.push(`because of ${textOf(error.cause)}`);
  return lines.join('\n').replaceAll(`file://${process.cwd()}/`, '');
}

/** A test that something else defined for a file has no line in it. */
function placeOf({ file = '', line }: { file?: string; line?: number }, testFile = ''): string {
  return relative(process.cwd(), file) === testFile ? `${testFile}:${line}` : testFile;
}
