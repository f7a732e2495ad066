/** What a URL says about TLS, tried on a server with a certificate of its own for "localhost". */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect, SERVER_CONNECTION } from '../../src/store/postgres/connection.ts';
import { query } from '../../torture/away/promotion.ts';
import { newFolder } from '../support/database.ts';
import { OTHER_USER, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { LIMIT_MS, until } from '../support/until.ts';

const UNTRUSTED = /its certificate is of an authority that this machine does not trust: .* sslrootcert\.$/;
const OTHER_NAME = /its certificate is for another name than the host in the URL\.$/;

describe('A server with TLS', () => {
  let server: PostgresServer;
  let certificate: string;
  let removeFolder: () => void | Promise<void>;
  before(async () => {
    server = await startPostgres();
    const folder = await newFolder({
      after(work) {
        removeFolder = work;
      },
    });
    certificate = await switchTlsOn(server, folder);
  });
  after(async () => {
    await server.remove();
    await removeFolder();
  });

  const cases: [host: string, parameters: string, outcome: 'TLS' | 'plain' | RegExp][] = [
    ['localhost', '', 'plain'],
    ['localhost', 'sslmode=disable', 'plain'],
    ['localhost', 'sslmode=require', UNTRUSTED],
    ['localhost', 'sslmode=require&target_session_attrs=primary', UNTRUSTED],
    ['localhost', 'sslmode=no-verify', 'TLS'],
    ['localhost', 'sslrootcert=CA', 'TLS'],
    ['localhost', 'sslmode=require&channel_binding=require&sslrootcert=CA', 'TLS'],
    ['localhost', 'sslmode=verify-full&sslnegotiation=direct&sslrootcert=CA', 'TLS'],
    ['127.0.0.1', 'sslmode=verify-full&sslrootcert=CA', OTHER_NAME],
    ['127.0.0.1', 'sslmode=verify-ca&sslrootcert=CA', 'TLS'],
    ['127.0.0.1', 'sslmode=no-verify', 'TLS'],
    ['localhost', 'sslrootcert=/nowhere.pem', /names cannot be read \(ENOENT\)\.$/],
    ['localhost', 'sslrootcert=/nowhere.pem&target_session_attrs=any', /names cannot be read \(ENOENT\)\.$/],
  ];
  for (const [host, parameters, outcome] of cases) {
    test(`${host} with ${parameters || 'nothing'}: ${outcome}`, async (t) => {
      const url = `${server.url.replace('127.0.0.1', host)}?${parameters.replace('CA', certificate)}`;
      const connection = connect(url, { ...SERVER_CONNECTION, connectMs: LIMIT_MS, questionMs: LIMIT_MS });
      t.after(() => connection.close());
      const text = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
      if (typeof outcome === 'string')
        assert.deepEqual(await connection.ask({ text }), [{ ssl: outcome === 'TLS' }]);
      else await assert.rejects(connection.ask({ text }), { kind: 'locked-out', message: outcome });
    });
  }
});

/** Returns the path of the certificate, which is its own authority. */
async function switchTlsOn(server: PostgresServer, folder: string): Promise<string> {
  await chmod(folder, 0o755);
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', certificate];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names, ...files];
  execFileSync('openssl', request, { stdio: 'ignore' });
  await chmod(key, 0o600);
  if (process.getuid?.() === 0) await chown(key, OTHER_USER.uid, OTHER_USER.gid);
  for (const [name, value] of Object.entries({ ssl_cert_file: certificate, ssl_key_file: key, ssl: 'on' }))
    await query(server.url, `ALTER SYSTEM SET ${name} = '${value}'`);
  await query(server.url, 'SELECT pg_reload_conf()');
  await until('it has TLS', () =>
    query(`${server.url}?ssl=no-verify`, 'SELECT 1').then(
      () => true,
      () => false,
    ),
  );
  return certificate;
}
