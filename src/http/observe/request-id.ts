import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The start of our tokens. A token that was sent in the wrong header must not be logged or sent back. */
const TOKEN_PREFIX = /shiftfeed_/i;

/** The id that the client or a proxy sent, if it is safe to log and to send back; otherwise a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const header = headers['x-request-id'];
  const isSafe =
    typeof header === 'string' && /^[\w.:/+=-]{1,128}$/.test(header) && !TOKEN_PREFIX.test(header);
  return isSafe ? header : newId();
}

const ID_CHARACTERS = 32;
/** Drawing bytes for many ids at once takes next to nothing for each. */
const IDS_AT_ONCE = 256;
let drawn = '';
let used = 0;

function newId(): string {
  if (used === drawn.length) {
    drawn = randomBytes((IDS_AT_ONCE * ID_CHARACTERS) / 2).toString('hex');
    used = 0;
  }
  used += ID_CHARACTERS;
  return drawn.slice(used - ID_CHARACTERS, used);
}
