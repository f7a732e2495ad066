/**
 * What whoever wrote the page should know, told in the console: each sentence once. Visitors are told only that there are
 * no shifts. No sentence has a whole address, which may be somebody's personal link.
 */

/** A mistake of the page or of its server. The message is a sentence for who can mend it. */
export class Mistake extends Error {}

/** More of them would not help anybody. */
const MAX_TOLD = 20;
const told = new Set<string>();

/** The error is one of the page's own. */
export function tellMistake(sentence: string, error?: unknown): void {
  const cause = error instanceof Error ? sentence + error.message : sentence;
  if (told.has(cause) || told.size >= MAX_TOLD) return;
  told.add(cause);
  // biome-ignore lint/suspicious/noConsole: it is where whoever writes a page looks.
  console.error(`<shift-calendar>: ${sentence}`, ...(error === undefined ? [] : [error]));
}

const EXPECTED = "It has to be the address of a feed's shifts at the gateway, such as /kitchen/shifts.";
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'src has a query that is not understood',
  401: 'src wants a token',
  403: 'src wants a token',
  404: 'src leads nowhere',
};

/** For a status that `src` is to blame for. */
export function mistakeByStatus(status: number): Mistake | undefined {
  return status in REFUSALS ? new Mistake(`${REFUSALS[status]} (${status}). ${EXPECTED}`) : undefined;
}

/** For an answer that is not JSON, such as a page. */
export function mistakeByType({ headers }: Response): Mistake {
  const [type] = (headers.get('content-type') ?? 'something else').split(';');
  return new Mistake(`src gives no JSON, but ${type}. ${EXPECTED}`);
}

/** For a server that cannot be asked from a page of this origin. Browsers do not tell a page why. */
export function whatToCheck({ origin, host }: URL, site: string): string {
  const origins = origin === site ? '' : `, that the "origins" of the feed have ${site}`;
  return `${host} cannot be asked. Check that src is right and the server runs${origins}, and that the Content-Security-Policy of the page allows it as connect-src.`;
}
