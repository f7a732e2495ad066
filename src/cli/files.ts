/**
 * Reads and writes files in folders that other users may write to. A link there could make Shiftfeed read or replace a
 * file that its maker has no right to, so links are followed here, one by one, and only if they belong to somebody who
 * may decide where they lead.
 */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, lstat, open, readlink, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { describePosition, findFlaws } from '../import/json/splitter.ts';
import { placeOf } from '../import/problems.ts';
import { Failure } from './failure.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, COPYFILE_EXCL } = constants;

/** The message is a phrase for the end of a sentence, as `reasonOf` returns. */
export class FileRefused extends Error {}

export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
  };
  return reasons[code ?? ''] ?? message;
}

/**
 * Links of a third user are followed only to files of that user. Other things than files are refused, and not opened:
 * that may take forever, and whoever writes to a pipe would take it for a reader. With `orPipe`, pipes and devices of
 * trusted users are opened, such as /dev/stdin.
 */
export async function openToRead(
  file: string,
  { orPipe = false }: { readonly orPipe?: boolean } = {},
): Promise<FileHandle> {
  const way = await follow(file);
  const seen = await stat(way.place);
  if (!seen.isFile() && !seen.isDirectory()) {
    if (!orPipe || !isTrusted(seen.uid)) throw new FileRefused('it is not a file');
    refuseLinks(way.foreignLinks);
    return open(way.place);
  }
  // What is already open, such as standard input, is a link in /proc.
  const opened = await open(way.place, O_RDONLY | O_NONBLOCK | (isInProc(way.place) ? 0 : O_NOFOLLOW));
  try {
    const found = await opened.stat();
    if (found.isDirectory()) throw Object.assign(new FileRefused('it is a folder'), { code: 'EISDIR' });
    if (!found.isFile()) throw new FileRefused('it is not a file');
    refuseLinks(way.foreignLinks.filter(({ uid }) => uid !== found.uid || uid === NOBODY));
    await checkPlace(opened, way.place);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

export async function readWhole(file: string, options?: { readonly orPipe?: boolean }): Promise<Buffer> {
  await using opened = await openToRead(file, options);
  return await opened.readFile();
}

/** Where a file is or would be, behind the links of trusted users. */
export async function placeToWrite(file: string): Promise<string> {
  const { place, foreignLinks } = await follow(file);
  refuseLinks(foreignLinks);
  return place;
}

/**
 * Readers see either the old or the new content, never a part. Who could read the old one can read the new one. `place`
 * is one of `placeToWrite`.
 */
export async function replaceFile(place: string, text: string): Promise<void> {
  const old = await lstat(place).catch(() => undefined);
  const rights = old?.isFile() ? old : { mode: 0o666 };
  await writeBeside(place, text, rights, (written) => rename(written, place));
}

/**
 * Fails with EEXIST if something is there already. The file gets its name once it is complete, unless the file system has
 * no hard links.
 */
export async function createFile(file: string, text: string, mode: number): Promise<void> {
  const place = join(await placeToWrite(dirname(file)), basename(file));
  await writeBeside(place, text, { mode }, (written) =>
    link(written, place).catch(() => copyFile(written, place, COPYFILE_EXCL)),
  );
}

/** The owner is that of a file that is replaced. */
interface Rights {
  readonly mode: number;
  readonly uid?: number;
  readonly gid?: number;
}

async function writeBeside(
  place: string,
  text: string,
  rights: Rights,
  finish: (written: string) => Promise<void>,
): Promise<void> {
  const name = `.${basename(place)}.${randomBytes(6).toString('hex')}.tmp`;
  const unfinished = join(dirname(place), name);
  try {
    await writeNew(unfinished, text, rights);
    await finish(unfinished);
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function writeNew(place: string, text: string, { mode, uid, gid }: Rights): Promise<void> {
  await using opened = await open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode & 0o777);
  await checkPlace(opened, place);
  if (uid !== undefined && gid !== undefined) {
    // Only root gives files away, and some file systems know neither owners nor modes.
    await opened.chown(process.geteuid?.() === 0 ? uid : -1, gid).catch(() => undefined);
    await opened.chmod(mode & 0o777).catch(() => undefined);
  }
  await opened.writeFile(text);
  await opened.sync();
}

interface Link {
  readonly path: string;
  readonly uid: number;
}

/** As Linux has it. */
const MAX_LINKS = 40;
/** In a container, Linux shows all users who are unknown there as this one. */
const NOBODY = 65_534;

/** Finds the place where the way to a file ends, without links. Nothing need be there. */
async function follow(file: string) {
  const foreignLinks: Link[] = [];
  // Windows does not say who a link belongs to, and only lets administrators make them.
  if (process.platform === 'win32') return { place: file, foreignLinks };
  const names = namesOf(isAbsolute(file) ? file : `${process.cwd()}/${file}`);
  let place = '/';
  let links = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const next = join(place, name);
    const isLast = names.length === 0;
    const uid = await ownerOfLink(next, isLast);
    if (uid === undefined) {
      place = next;
      continue;
    }
    if (!isTrusted(uid)) foreignLinks.push({ path: next, uid });
    if (++links > MAX_LINKS) throw new FileRefused('its links lead in a circle');
    const target = await readlink(next);
    if (isAbsolute(target)) place = '/';
    names.push(...namesOf(target));
  }
  return { place, foreignLinks };
}

/** The last one comes first. */
function namesOf(path: string): string[] {
  return path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .toReversed();
}

/** Undefined if it is no link, or one of the kernel in /proc, whose text does not say where it leads. */
async function ownerOfLink(path: string, mayBeMissing: boolean): Promise<number | undefined> {
  if (isInProc(path)) return undefined;
  try {
    const found = await lstat(path);
    return found.isSymbolicLink() ? found.uid : undefined;
  } catch (error) {
    if (mayBeMissing && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

function isInProc(path: string): boolean {
  return path.startsWith('/proc/');
}

function refuseLinks([first]: readonly Link[]): void {
  if (first !== undefined) throw new FileRefused(`the link ${first.path} belongs to another user`);
}

/** A folder may have become a link after it was looked at. Linux says where an open file really lies. */
async function checkPlace({ fd }: FileHandle, place: string): Promise<void> {
  if (isInProc(place)) return;
  const there = await readlink(`/proc/self/fd/${fd}`).catch(() => place);
  // Some file systems ignore case. The file may have been replaced since.
  const expected = [place, `${place} (deleted)`].map((path) => path.toLowerCase());
  if (!expected.includes(there.toLowerCase()))
    throw new FileRefused('its folder was moved while it was opened');
}

/**
 * `what` begins the error messages, such as "The configuration". `nameOf` names a repeated key, if that could reveal a
 * secret otherwise. `orPipe` is for a file that is read once.
 */
export async function readJsonFile(
  file: string,
  what: string,
  { nameOf = nameOfKey, orPipe = false } = {},
): Promise<unknown> {
  const text = (await readBytes(file, what, orPipe)).toString('utf8').replace(/^\ufeff/, '');
  const [flaw] = findFlaws(text);
  if (flaw !== undefined) {
    const position = describePosition(flaw.position);
    const why = flaw.kind === 'syntax' ? 'this is not JSON' : `${nameOf(flaw.path)} is there twice`;
    throw new Failure(`${what} ${file} has a problem in ${position}: ${why}.`);
  }
  return JSON.parse(text);
}

function nameOfKey(path: readonly (string | number)[]): string {
  return `the key ${placeOf(...path)}`;
}

export async function readBytes(file: string, what: string, orPipe = false): Promise<Buffer> {
  try {
    return await readWhole(file, { orPipe });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'does not exist',
      EACCES: 'may not be read by this user',
      EISDIR: 'is a folder',
    };
    throw new Failure(`${what} ${file} ${reasons[code ?? ''] ?? `cannot be read: ${reasonOf(error)}`}.`, {
      cause: error,
    });
  }
}
