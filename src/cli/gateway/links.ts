/** Runs `gateway links`: reads who has shifts, and prints the address of each person. */

import { quote } from '@shiftfeed/common/quote';
import { type FeedConfig, type LinkList, NoTimeZone, openLinkList } from '@shiftfeed/gateway';
import { generate } from 'lean-qr';
import { isFormula, quotedIfNeeded } from '../../export/export.ts';
import { Failure, wrongUse } from '../failure.ts';
import { print, printJson, printPieces, table, warn } from '../print.ts';
import { findLinks, findToken, readConfigFile, writeNewSecret } from './files.ts';

export interface LinksSettings {
  readonly configFile: string | undefined;
  readonly feed?: string;
  readonly person?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
  readonly baseUrl?: string;
  readonly newSecret?: string;
}

interface PersonalLink {
  readonly feed: string;
  readonly person: string;
  readonly url: string;
}

/** Where `shiftfeed gateway` listens by default. */
const LOCAL_URL = 'http://127.0.0.1:8090';

export async function runLinks(settings: LinksSettings): Promise<void> {
  const { configFile, newSecret, baseUrl } = settings;
  if (newSecret !== undefined) {
    await writeNewSecret(newSecret);
    return print(`The secret is in ${newSecret}: name that file in "links_secret_file".`);
  }
  if (configFile === undefined) {
    throw wrongUse('Name the configuration of the gateway, or --new-secret FILE.');
  }
  const list = await openList(configFile);
  const feeds = chosenFeeds(list, settings.feed);
  const links: PersonalLink[] = [];
  for (const feed of feeds) {
    for (const person of await peopleOf(list, feed, settings.person)) {
      const path = await list.path(feed, person);
      if (path === undefined) warn(`${quote(person)} has no link: it is no name, or longer than names are.`);
      else
        links.push({ feed: feed.name, person, url: `${(baseUrl ?? LOCAL_URL).replace(/\/+$/, '')}${path}` });
    }
  }
  if (settings.feed === undefined && settings.person === undefined) {
    for (const name of list.numberedWithout(links.map(({ person }) => person)))
      warn(
        `The links file has ${quote(name)}, but nobody of that name has shifts just now: if it is misspelt, the link that it was meant to end still works.`,
      );
  }
  if (baseUrl === undefined && links.length > 0) {
    warn(`The addresses are those of this machine: --base-url says where people reach the gateway.`);
  }
  await printLinks(links, settings);
}

async function openList(configFile: string): Promise<LinkList> {
  const { document, config } = await readConfigFile(configFile);
  const files = await findLinks(config, configFile);
  if (files === undefined)
    throw new Failure(`No feed of the configuration ${configFile} has "personal": true.`);
  if (files.warning !== undefined) warn(files.warning);
  // A link for a named person can be made without asking the service, so the token is only required when it is used.
  const token = async () => (await findToken(config, configFile, process.env.SHIFTFEED_TOKEN))();
  return openLinkList({ config: document, token, ...files, clock: Date.now });
}

function chosenFeeds({ feeds }: LinkList, name: string | undefined): readonly FeedConfig[] {
  const chosen = feeds.filter((feed) => name === undefined || feed.name === name);
  if (chosen.length === 0) {
    throw wrongUse(`The configuration has no feed ${quote(name)} with "personal": true.`);
  }
  return chosen;
}

/** A named person has a link even without shifts, but a name that nobody has may be misspelt. */
async function peopleOf(
  list: LinkList,
  feed: FeedConfig,
  named: string | undefined,
): Promise<readonly string[]> {
  if (named === undefined) {
    return list.people(feed).catch((error: unknown) => {
      throw new Failure(`The feed ${feed.name} could not be read: ${reasonOf(error)}`, { cause: error });
    });
  }
  const same = await list.path(feed, named);
  try {
    for (const person of await list.people(feed))
      if ((await list.path(feed, person)) === same) return [person];
    warn(
      `Nobody called ${quote(named)} has shifts in ${feed.name} just now: the link shows some only if the name is written as there.`,
    );
  } catch (error) {
    warn(`Whether ${quote(named)} has shifts in ${feed.name} is not known: ${reasonOf(error)}`);
  }
  return [named];
}

function reasonOf(error: unknown): string {
  if (error instanceof NoTimeZone) return 'its time zone is not known. Set "time_zone" in the configuration.';
  return error instanceof Error ? error.message : String(error);
}

async function printLinks(links: readonly PersonalLink[], settings: LinksSettings): Promise<void> {
  const { csv, json, person } = settings;
  if (json) return printJson(links);
  if (csv) return printCsv(links);
  if (links.length === 0) return print('Nobody has shifts just now in the days that are shown.');
  if (person === undefined || !process.stdout.isTTY) {
    return print(
      table([['FEED', 'PERSON', 'URL'], ...links.map(({ feed, person, url }) => [feed, person, url])]),
    );
  }
  for (const { feed, person, url } of links) {
    print(`${person}, ${feed}: ${url}`);
    const code = drawQrCode(url, process.stdout.columns);
    if (code === undefined) warn('The terminal is too narrow for the QR code.');
    else process.stdout.write(code);
  }
}

async function printCsv(links: readonly PersonalLink[]): Promise<void> {
  if (links.some(({ person }) => isFormula(person))) {
    warn(
      'A spreadsheet may take some of the names for a formula: open the file in one only if you trust whoever wrote them.',
    );
  }
  const lines = links.map(({ feed, person, url }) => [feed, person, url].map(quotedIfNeeded).join(','));
  await printPieces(['feed,person,url', ...lines].map((line) => `${line}\n`));
}

/** Of a QR code: the blank margin that readers expect around a code. */
const MARGIN = 4;
/** By which halves of a character are dark. */
const HALVES = { both: '█', upper: '▀', lower: '▄', none: ' ' };
/** Black on white, whatever the colours of the terminal are: some readers cannot read inverted codes. */
const INK = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';

/** A QR code as lines of text, each with two rows of the code, or undefined if the terminal has too few columns. */
function drawQrCode(text: string, columns: number): string | undefined {
  const code = generate(text);
  const width = code.size + 2 * MARGIN;
  if (width > columns) return undefined;
  const from = (start: number, step: number, count: number) =>
    Array.from({ length: count }, (_, i) => start + i * step);
  return from(-MARGIN, 2, Math.ceil(width / 2))
    .map((y) => {
      const cells = from(-MARGIN, 1, width).map((x) => cellOf(code.get(x, y), code.get(x, y + 1)));
      return `${INK}${cells.join('')}${RESET}\n`;
    })
    .join('');
}

function cellOf(isUpperDark: boolean, isLowerDark: boolean): string {
  if (isUpperDark) return isLowerDark ? HALVES.both : HALVES.upper;
  return isLowerDark ? HALVES.lower : HALVES.none;
}
