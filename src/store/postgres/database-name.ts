/**
 * Host and database of a URL, for messages. They never show a part of a password: a URL that can be read in two ways is
 * refused, because one reading would take a piece of the password for a host or a database.
 */

import { StoreFailure } from '../failure.ts';

export function databaseName(url: string): string {
  if (isAmbiguous(url)) throw notValid();
  try {
    const { host, pathname, username, password } = new URL(url);
    // Throws where percent-encoding is broken, as the driver would.
    decodeURIComponent(username + password);
    return host + decodeURIComponent(pathname);
  } catch {
    throw notValid();
  }
}

function isAmbiguous(url: string): boolean {
  const [, authority = '', path = '', query = ''] = /^\w+:\/\/([^/?#]*)([^?#]*)\??(.*)$/s.exec(url) ?? [];
  const beforeHost = authority.lastIndexOf('@') + 1;
  // An unencoded slash, question mark or hash in a password ends the host too early, and the @ comes after it. The @
  // may also have been encoded by mistake.
  if (/@|#/.test(path + query)) return true;
  if (/%40/.test(authority.slice(beforeHost) + path + (beforeHost > 0 ? '' : query))) return true;
  return path.lastIndexOf('/') > 0 || ![...new URLSearchParams(query).keys()].every(isParameter);
}

/** A password parameter that holds an & would look like several parameters. */
function isParameter(name: string): boolean {
  return /^[a-z_]+$/.test(name) && name !== 'password';
}

/** Omits the URL, and also the parser's error as a cause, because that quotes the URL. */
function notValid(): StoreFailure {
  return new StoreFailure(
    'bad-url',
    'The database URL is not valid: expected postgres://USER:PASSWORD@HOST/DATABASE, with percent-encoding for what is special ' +
      'in a user name or password (%40 for @, %2F for /, %3F for ?, %23 for #, %25 for %).',
  );
}
