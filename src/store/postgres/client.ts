/** A connection to one host of a database, as the driver makes it. */

import { readFileSync } from 'node:fs';
import { Client, type ClientConfig } from 'pg';
import type { Host, PostgresUrl, Tls } from './database-url.ts';

export interface Limits {
  /** For how long to try to connect. */
  readonly connectMs: number;
  /** For how long to wait for an answer, unless the question has a limit of its own. */
  readonly answerMs: number;
}

/** Connects only when it is told to. */
export function makeClient(url: PostgresUrl, host: Host, { connectMs, answerMs }: Limits): Client {
  const { config, flaw } = readConfig(url, host);
  const client = new Client({
    ...config,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
  });
  // Who waits for an answer is told of the error, and the pool replaces the connection.
  client.on('error', () => undefined);
  if (flaw !== undefined) client.connect = failWith(client, flaw) as Client['connect'];
  return client;
}

function failWith(client: Client, flaw: unknown) {
  return (callback?: (error: unknown) => void) => {
    client.emit('end');
    return callback === undefined ? Promise.reject(flaw) : process.nextTick(callback, flaw);
  };
}

/** The pool cannot bear a constructor that throws, so a certificate that cannot be read is told when connecting. */
function readConfig(url: PostgresUrl, { host, port }: Host): { config: ClientConfig; flaw?: unknown } {
  const { user, password, database, options, applicationName = 'shiftfeed', tls } = url;
  const given = { user, password, database, options, host, port, application_name: applicationName };
  const config = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (tls === undefined) return { config };
  if (tls === 'off') return { config: { ...config, ssl: false } };
  try {
    const negotiation = tls.isDirect ? ({ sslnegotiation: 'direct' } as const) : {};
    return {
      config: { ...config, ...negotiation, ssl: tlsConfig(tls), enableChannelBinding: tls.bindsChannel },
    };
  } catch (flaw) {
    return { config: { ...config, ssl: true }, flaw };
  }
}

/** Read for each connection, because certificates are renewed. */
function tlsConfig({ verifies, authority, certificate, key }: Tls) {
  const paths = Object.entries({ ca: authority, cert: certificate, key });
  const files = paths.flatMap(([name, path]) =>
    path === undefined ? [] : [[name, readFileSync(path, 'utf8')]],
  );
  const anyName = verifies === 'authority' ? { checkServerIdentity: () => undefined } : {};
  return { rejectUnauthorized: verifies !== 'nothing', ...anyName, ...Object.fromEntries(files) };
}
