/**
 * Runs the commands of a manual without curl and jq, which a machine may lack. Exactly the ways of calling them that
 * the manual needs are understood, and everything else is an error.
 */

import assert from 'node:assert/strict';
import type { Exchange } from './transcript.ts';

/** What the variables of the manual stand for, and the files that its commands write. */
export interface Shell {
  /** `$AUTH`: a whole header. */
  readonly auth: string;
  /** `$SHIFTS`: the URL of the listing. */
  readonly shifts: string;
  /** What `date` tells, in milliseconds since 1970. */
  readonly clock: () => number;
  /** Entity tags by file name. */
  readonly tagFiles: Map<string, string>;
}

/** Fails unless the command prints what the manual shows. */
export async function checkExchange({ command, shown }: Exchange, shell: Shell): Promise<void> {
  const { head, stream, auth, tagUse, tagFile = '', query = '', field, items, text } = parse(command);
  const headers = new Headers({ 'accept-encoding': 'identity' });
  if (auth !== undefined) headers.set(...splitHeader(shell.auth));
  if (tagUse === 'compare') headers.set('if-none-match', shell.tagFiles.get(tagFile) ?? '""');
  if (stream !== undefined) headers.set('accept', 'text/event-stream');
  const response = await fetch(shell.shifts + withDates(query, shell.clock()), {
    method: head === undefined ? 'GET' : 'HEAD',
    headers,
  });
  if (tagUse === 'save') shell.tagFiles.set(tagFile, response.headers.get('etag') ?? '');

  if (head !== undefined) return checkHead(response, shown, command);
  if (stream !== undefined) return checkStream(response, shown, command);
  const body: unknown = await response.json();
  if (text !== undefined) return assert.equal(shown, valueAt(body, text), command);
  const printed =
    items === undefined
      ? valueAt(body, field)
      : (valueAt(body, 'shifts') as unknown[]).map((shift) => valueAt(shift, items));
  // Text is compared, because the order of members counts; a manual may break lines where it likes.
  assert.equal(JSON.stringify(JSON.parse(shown)), JSON.stringify(printed), command);
}

const COMMAND = new RegExp(
  [
    /^curl -s(?<head>I)?(?<stream>N)?(?: --fail-with-body)?/,
    /(?<auth> -H "\$AUTH")?(?: -H "Accept: text\/event-stream")?/,
    /(?: --etag-(?<tagUse>save|compare) (?<tagFile>[\w.]+))?/,
    / "\$SHIFTS(?<query>(?:[^"$`\\]|\$\(TZ=\S+ date [^)"$`\\]+\))*)"/,
    /(?: \| jq (?:\.(?<field>[\w.]+)|-r \.(?<text>[\w.]+)|-c '\[\.shifts\[\]\.(?<items>[\w.]+)\]'))?$/,
  ]
    .map(({ source }) => source)
    .join(''),
);

/** What a shell puts in place of `$(TZ=… date +…)`. */
function withDates(query: string, nowMs: number): string {
  return query.replaceAll(
    /\$\(TZ=(\S+) date \+('?)(.+?)\2\)/g,
    (_, timeZone: string, _quote, format: string) => {
      const day = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone).toPlainDate();
      const parts: Readonly<Record<string, string>> = {
        F: day.toString(),
        G: String(day.yearOfWeek),
        V: String(day.weekOfYear).padStart(2, '0'),
      };
      return format.replaceAll(/%(.)/g, (_, letter: string) => {
        const part = parts[letter];
        assert.ok(part !== undefined, `The tests do not know %${letter} of date.`);
        return part;
      });
    },
  );
}

function parse(command: string): Partial<Record<string, string>> {
  const groups = COMMAND.exec(command)?.groups;
  if (groups === undefined) throw new Error(`This is not a command that the tests can run: ${command}`);
  return groups;
}

/** Headers are shown in part: the last line says so, and a value that differs each time is shown as `…`. */
function checkHead(response: Response, shown: string, command: string): void {
  const [status, ...lines] = shown.split('\n');
  assert.equal(status, `HTTP/1.1 ${response.status} ${response.statusText}`, command);
  assert.equal(lines.pop(), '…', command);
  for (const line of lines) {
    const [name, value] = splitHeader(line);
    const received = response.headers.get(name);
    assert.ok(received !== null, `${command}: there is no ${name}`);
    if (value !== '…') assert.equal(value, received, command);
  }
}

/** What a stream says at first. It goes on, as the last line says, and empty lines are not shown. */
async function checkStream(response: Response, shown: string, command: string): Promise<void> {
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.includes('data: ')) break;
  }
  const lines = text.split('\n').filter((line) => line !== '');
  const expected = shown.split('\n').filter((line) => line !== '');
  assert.equal(expected.pop(), '…', command);
  assert.equal(lines.length, expected.length, command);
  for (const [i, line] of expected.entries())
    assert.ok(line.endsWith('…') ? lines[i]?.startsWith(line.slice(0, -1)) : lines[i] === line, command);
}

function splitHeader(line: string): [string, string] {
  const [name = '', ...value] = line.split(': ');
  return [name, value.join(': ')];
}

/** The value at a path such as `meta.total`; without one, the whole. */
function valueAt(value: unknown, path?: string): unknown {
  const names = path?.split('.') ?? [];
  return names.reduce((inner, name) => (inner as Readonly<Record<string, unknown>>)[name], value);
}
