/**
 * Reads a file that was given to a page: what comes of it is questions, mistakes, a preview of the import, or the import
 * itself. All of it is plain data.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { foldName } from '@shiftfeed/common/names';
import {
  type Excerpt,
  excerptOf,
  findLayout,
  inWords,
  type ProblemCell,
  type SheetAsRead,
  type SheetExcerpt,
} from '@shiftfeed/sheets';
import type { Store } from '../store/store.ts';
import {
  describeInLine,
  describeKept,
  describeNewNames,
  describeRefusal,
  describeReport,
  describeUnlisted,
  describeWarnings,
  shown,
} from './describe.ts';
import { fixesOf, laterProblems, valuesWith } from './fixes.ts';
import { ChangedSince, type ChangeTeller, type ImportOptions, type ImportSummary } from './import.ts';
import {
  type Format,
  formatByName,
  type ImportValues,
  optionByKey,
  sheetOptions,
  withToday,
} from './options.ts';
import { type ImportProblem, whereIs } from './problems.ts';
import {
  type Answer,
  type Choice,
  type Context,
  isKeepable,
  itemOf,
  labelOf,
  latest,
  meaningOf,
  type Question,
  questionOf,
  readAnswers,
  type Suggestions,
  suggestionsFor,
} from './questions.ts';
import {
  type ImportFile,
  type OpenedFile,
  peopleOf,
  type ReadProblems,
  readFile,
  todayFor,
  tryReading,
} from './read.ts';
import { askLeft, describeLeft } from './removals.ts';

export interface Upload {
  readonly kind: 'read' | 'import';
  /** The slug. */
  readonly account: string;
  /** For the history. */
  readonly who: string;
  /** The path of the private upload. */
  readonly file: string;
  /** The user's name of the file, for messages and history. */
  readonly name: string;
  /** From the page: options of the sheet, `replace-days`, `allow-removals`, `allow-empty`. */
  readonly answers: readonly Answer[];
  /** As it was found with these answers. If it is another one, what was kept for that one is added. */
  readonly layout?: string | undefined;
  /** When it was sent: the day that "today" means. */
  readonly nowMs: number;
  /** Only of an import: the digest of the preview. */
  readonly expected?: string | undefined;
}

export type UploadResult = ((Questions | Mistakes | Preview) & ReadWith) | Imported | Failed;

/** With which answers a file was read. They belong to its layout. */
export interface ReadWith {
  readonly answers: readonly GivenAnswer[];
  /** Equal for files of one layout; empty if it cannot be told. */
  readonly layout: string;
  /** When the answers that were kept were last used; undefined: there are none. */
  readonly keptAt?: string | undefined;
}

/** With the label of its field, and in people's words. */
export interface GivenAnswer extends Choice {
  readonly text: string;
  /** It was given for an earlier file. */
  readonly isKept: boolean;
}

export interface Preview {
  readonly kind: 'preview';
  readonly digest: string;
  readonly format: Format;
  /** How it was read. */
  readonly how: readonly string[];
  /** Some rows of the sheets, with what became of each cell. */
  readonly sheets: readonly SheetAsRead[];
  readonly account: ImportSummary['account'];
  readonly counts: ImportSummary['tables'];
  /** What becomes of the shifts that are not in the file, if there are any. It has to be chosen before the import. */
  readonly left?: Question | undefined;
  readonly warnings: readonly string[];
  /** Texts of people that were answered, and that the file does not have. */
  readonly unused: readonly string[];
  /** Groups, locations and people that are new, by name. */
  readonly newNames: readonly string[];
  readonly unlisted: readonly string[];
  readonly undoRefusal?: string | undefined;
  /** How many there are in all. */
  readonly changes: number;
  /** null: groups, locations and people. */
  readonly days: readonly DayOfChanges[];
  /** The account had changed, so nothing was imported, and this is the preview of now. */
  readonly isChangedSince?: true;
}

export interface Imported {
  readonly kind: 'imported';
  readonly headline: string;
  readonly sentences: readonly string[];
  readonly counts: ImportSummary['tables'];
  /** Its entry in the history, if it can be taken back. */
  readonly entry: number | undefined;
}

export interface Failed {
  readonly kind: 'failed';
  readonly message: string;
}

/** Where the changes of a preview go. */
export interface ChangesFile {
  readonly add: ChangeTeller;
  end(): Promise<Pick<Preview, 'changes' | 'days'>>;
  close(): Promise<void>;
}

export interface DayOfChanges {
  readonly day: string | null;
  /** The number of its first change. */
  readonly first: number;
  readonly count: number;
}

/** What only whoever starts the reading knows. */
export interface UploadOptions extends Pick<ImportOptions, 'refuses' | 'onEntry'> {
  readonly writeChanges: () => Promise<ChangesFile>;
}

/** An upload, and what is known of it and of its account. */
interface Job {
  readonly upload: Upload;
  readonly store: Store;
  readonly options: UploadOptions;
  readonly file: ImportFile;
  readonly format: Format;
  readonly values: ImportValues;
  readonly context: Context;
  readonly timeZone: string | undefined;
  /** What is wrong with answers, and what only a page asks. With any of these, nothing is imported. */
  readonly own: readonly ImportProblem[];
}

/** So often, answers that were meant for another file are left out. */
const MAX_STALE_ROUNDS = 3;

/** Throws ReadingFailed, StoreFailure and InvalidValue. */
export async function readUpload(
  upload: Upload,
  store: Store,
  options: UploadOptions,
): Promise<UploadResult> {
  const format = formatByName(upload.name);
  if (format === undefined)
    return {
      kind: 'failed',
      message: `${upload.name} is neither a spreadsheet (.xlsx, .ods, .csv) nor a .json file: save it as .xlsx.`,
    };
  // What is imported was read before, with the same answers.
  const layout = upload.kind === 'import' ? (upload.layout ?? '') : await layoutOf(upload, format);
  const known = await knownLayout(store, upload.account, layout);
  let answers = layout === upload.layout ? upload.answers : latest([...known.answers, ...upload.answers]);
  for (let round = 0; ; round++) {
    const job = await prepare({ ...upload, answers }, format, store, options);
    const told = { layout, ...readWith(readAnswers(fitting(answers, format)).answers, known) };
    const found = await readOnce(job, upload.kind === 'read' || job.own.length > 0);
    if ('kind' in found && found.kind === 'preview')
      return { ...found, ...told, answers: told.answers.filter((answer) => !isUnused(answer, found.unused)) };
    if ('kind' in found) return found;
    const stale = found.problems.flatMap((problem) => (problem.stale ? [problem.stale] : []));
    if (stale.length === 0 || round === MAX_STALE_ROUNDS) return { ...(await explain(found, job)), ...told };
    answers = answers.filter(([key, value]) => !stale.some(([one, other]) => one === key && other === value));
  }
}

/** Who was meant in an earlier file. Such answers would become more and more. */
function isUnused({ option, value }: GivenAnswer, unused: readonly string[]): boolean {
  return option === 'people' && unused.includes(foldName(itemOf([option, value])));
}

/** A hash; empty if the layout cannot be told. */
async function layoutOf(upload: Upload, format: Format): Promise<string> {
  const opened: OpenedFile[] = [];
  const open = async () => {
    const file = await fileOf(upload).open();
    opened.push(file);
    return file.bytes;
  };
  try {
    // A document says everything itself, and what becomes of other shifts is asked anew for each.
    const found =
      format === 'json'
        ? undefined
        : await findLayout(open, readAnswers(fitting(upload.answers, format)).values);
    return found === undefined ? '' : createHash('sha256').update(found).digest('hex');
  } finally {
    for (const file of opened) file.close();
  }
}

interface KnownLayout {
  readonly answers: readonly Answer[];
  readonly usedAtMs?: number;
}

async function knownLayout(store: Store, slug: string, layout: string): Promise<KnownLayout> {
  const account = layout === '' ? undefined : await store.findAccount(slug);
  const known = account && (await store.deskLayout(account.id, layout));
  if (known === undefined) return { answers: [] };
  const answers: readonly Answer[] = JSON.parse(known.answers);
  return { ...known, answers: answers.filter(isKeepable) };
}

function readWith(answers: readonly Answer[], known: KnownLayout): Omit<ReadWith, 'layout'> {
  const given = answers.map((answer): GivenAnswer => {
    const [option, value] = answer;
    const isKept = known.answers.some((kept) => kept[0] === option && kept[1] === value);
    return { option, value, label: labelOf(answer), text: meaningOf(answer), isKept };
  });
  const isAny = given.some(({ isKept }) => isKept);
  return {
    answers: given,
    ...(isAny && known.usedAtMs !== undefined && { keptAt: new Date(known.usedAtMs).toISOString() }),
  };
}

async function prepare(upload: Upload, format: Format, store: Store, options: UploadOptions): Promise<Job> {
  const given = readAnswers(fitting(upload.answers, format));
  const account = await store.findAccount(upload.account);
  const today = todayFor(account, given.values, upload.nowMs);
  const asked = await withToday(given.values, async () => today);
  const values = { ...asked, account: upload.account, dryRun: upload.kind === 'read' };
  const groups = account ? await store.list('groups', account.id) : [];
  const isZoneMissing = account === undefined && format === 'sheet' && values.timeZone === undefined;
  return {
    upload,
    store,
    options,
    file: fileOf(upload),
    format,
    values,
    context: {
      answers: upload.answers,
      today,
      groups: groups.map(({ name }) => name),
      people: format === 'sheet' ? await peopleOf(store, upload.account) : [],
    },
    timeZone: account?.timeZone,
    own: [...given.problems, ...(isZoneMissing ? [ZONE_MISSING] : [])],
  };
}

const ZONE_MISSING: ImportProblem = {
  place: '',
  message: 'the account is new: in which time zone are its shifts?',
  fix: [['time-zone', '', 'gap']],
};

/** Without what holds only for another kind of file, or only with a removal. */
function fitting(answers: readonly Answer[], format: Format): readonly Answer[] {
  const isOn = answers.findLast(([key]) => key === 'replace-days')?.[1] === 'true';
  return answers.filter(([key]) => {
    const { field, isForSheets } = optionByKey(key) ?? {};
    if (!isOn && ['allow-empty', 'allow-removals'].includes(key)) return false;
    return format === 'sheet' || field === undefined || !isForSheets;
  });
}

function fileOf({ file, name }: Upload): ImportFile {
  async function open(onChunk?: (chunk: Uint8Array) => void): Promise<OpenedFile> {
    const stream = createReadStream(file);
    stream.on('error', () => undefined);
    let isRead = false;
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for await (const chunk of stream) {
        onChunk?.(chunk);
        yield chunk;
      }
      isRead = true;
    }
    return { bytes: bytes(), isRead: () => isRead, close: () => stream.destroy() };
  }
  return {
    name,
    open,
    openAgain: async (maxBytes) => ((await stat(file)).size > maxBytes ? undefined : open()),
  };
}

/** Problems that are kept: those that may be questions, and some others. */
const MAX_QUESTIONS = 200;
const MAX_MISTAKES = 100;

async function readOnce(
  job: Job,
  isPreview: boolean,
): Promise<Preview | Imported | Omit<ReadProblems, 'kind'>> {
  const { upload, store, options, values, format, own } = job;
  const problems: ImportProblem[] = [...own];
  const asked = new Set<string>();
  let mistakes = 0;
  const changes = isPreview ? await options.writeChanges() : undefined;
  try {
    const reading = await readFile(job.file, format, isPreview ? { ...values, dryRun: true } : values, {
      withStore: (_missing, work) => work(store),
      nowMs: () => upload.nowMs,
      origin: { who: upload.who, file: upload.name },
      countsUnlisted: true,
      isOnPage: true,
      refuses: options.refuses,
      expected: upload.expected,
      onEntry: options.onEntry,
      onChanges: changes?.add,
      async onProblems(some) {
        for (const one of some) {
          const question = JSON.stringify(one.fix ?? one.offers ?? one.stale);
          if (question === undefined) {
            if (mistakes++ < MAX_MISTAKES) problems.push(one);
          } else if (asked.size < MAX_QUESTIONS && !asked.has(question)) {
            asked.add(question);
            problems.push(one);
          }
        }
      },
    });
    if (reading.kind === 'problems') return { headline: reading.headline, problems, count: reading.count };
    if (own.length > 0) return { headline: '', problems, count: own.length };
    if (changes === undefined) return importedAs(reading.summary, job);
    const likely = likelyPeople(reading.summary);
    if (likely.length > 0) return { headline: '', problems: likely, count: likely.length };
    return previewOf(reading.summary, await changes.end(), job);
  } catch (error) {
    if (!(error instanceof ChangedSince)) throw error;
    const again = await readOnce(job, true);
    return 'kind' in again && again.kind === 'preview' ? { ...again, isChangedSince: true } : again;
  } finally {
    await changes?.close();
  }
}

/** New names of which only probably people are meant. They are asked about before anything is written. */
function likelyPeople({ nearNames = [] }: ImportSummary): readonly ImportProblem[] {
  const likely = nearNames.filter(({ isLikely }) => isLikely).slice(0, MAX_QUESTIONS);
  return likely.map(({ name, near }) => ({
    place: '',
    message: `${shown(name)} is new${near === undefined ? ', and unlike the others' : ` beside ${shown(near)}`}.`,
    fix: [
      ['people', `${name}=`, 'gap'],
      ['people', `${name}=`],
    ],
    offers: (near === undefined ? [name] : [name, near]).map((one) => ['people', `${name}=${one}`] as const),
    isLikely: true,
  }));
}

const UTC_ASSUMED = 'The account is new, and in UTC because the document gives no time zone.';

/** Thirteen years. A page with more would hardly move, and everybody would wait while the desk writes it. */
const MAX_DAYS = 5_000;

function previewOf(
  summary: ImportSummary,
  { changes, days }: Pick<Preview, 'changes' | 'days'>,
  { format, context, upload }: Job,
): Preview {
  const { left } = summary;
  return {
    kind: 'preview',
    digest: summary.digest ?? '',
    format,
    how: describeReport(summary, true),
    sheets: (summary.report?.cells.sheets ?? []).map((one) => ({ ...one, name: one.name || upload.name })),
    account: summary.account,
    counts: summary.tables,
    left: left && questionOf({ place: '', ...askLeft(left), onPage: `${describeLeft(left)}.` }, context),
    warnings: [
      ...(summary.isUtcAssumed ? [UTC_ASSUMED] : []),
      ...describeWarnings(summary),
      ...(days.length > MAX_DAYS ? [`The changes of the first ${MAX_DAYS} days are listed here.`] : []),
    ],
    unused: summary.report?.unused.people ?? [],
    newNames: describeNewNames(summary, Number.POSITIVE_INFINITY),
    unlisted: describeUnlisted(summary, true),
    undoRefusal: describeRefusal(summary, 'Undo')[0],
    changes,
    days: days.slice(0, MAX_DAYS),
  };
}

function importedAs(summary: ImportSummary, { upload, timeZone }: Job): Imported {
  const { tables, account, undoRefusal, entryId } = summary;
  const hasChanged =
    account !== 'unchanged' || Object.values(tables).some((one) => one.added + one.changed + one.removed > 0);
  return {
    kind: 'imported',
    headline: describeInLine(upload.name, summary, timeZone),
    sentences: [
      ...describeWarnings(summary),
      ...describeNewNames(summary),
      ...describeKept(summary, true),
      ...describeUnlisted(summary, true),
      ...describeRefusal(summary, 'Undo'),
    ],
    counts: tables,
    entry: hasChanged && undoRefusal === undefined ? entryId : undefined,
  };
}

export interface Questions {
  readonly kind: 'questions';
  readonly questions: readonly Question[];
  readonly suggestions: Suggestions;
  readonly mistakes?: readonly Problem[];
}

export interface Problem {
  readonly place: string;
  readonly message: string;
  readonly cell?: ProblemCell | undefined;
}

export interface Mistakes {
  readonly kind: 'mistakes';
  readonly headline: string;
  readonly problems: readonly Problem[];
  /** How many there are beyond these. */
  readonly more: number;
  /** Rows around the problems, and the headings. */
  readonly sheets: readonly SheetExcerpt[];
}

/** Problems become questions where a field can solve them. If there are none, the sheet is shown with its mistakes. */
export async function explain(
  { headline, problems, count }: Omit<ReadProblems, 'kind'>,
  { file, format, values, context }: Pick<Job, 'file' | 'format' | 'values' | 'context'>,
): Promise<Questions | Mistakes> {
  const later =
    format === 'sheet'
      ? await laterProblems(fixesOf(problems.filter(({ isLikely }) => !isLikely)), (way) =>
          tryReading(file, valuesWith(values, way), async () => context.people),
        )
      : [];
  const all = [...problems, ...later];
  const { cells, sheets } = await excerptFor(all);
  const questions = new Map<string, Question>();
  const mistakes: Problem[] = [];
  for (const [i, problem] of all.entries()) {
    const named = withHeading(problem, cells[i]);
    const question = questionOf(named, context);
    if (question === undefined) mistakes.push(shownProblem(named, cells[i]));
    else if (!questions.has(question.id)) questions.set(question.id, question);
  }
  if (questions.size === 0)
    return { kind: 'mistakes', headline, problems: mistakes, more: count - mistakes.length, sheets };
  const asked = [...questions.values()];
  const suggestions = suggestionsFor(asked, context);
  return { kind: 'questions', questions: asked, suggestions, ...(mistakes.length > 0 && { mistakes }) };

  async function excerptFor(some: readonly ImportProblem[]): Promise<Excerpt> {
    if (format === 'json') return { cells: [], sheets: [] };
    const opened = await file.open();
    const places = some.map(({ place }) => (typeof place === 'string' ? undefined : place));
    try {
      return await excerptOf(opened.bytes, sheetOptions(values), places);
    } finally {
      opened.close();
    }
  }
}

function shownProblem(problem: ImportProblem, cell?: Problem['cell']): Problem {
  const { message, onPage = message } = problem;
  return { place: whereIs(problem), message: onPage, ...(cell && { cell }) };
}

/** Columns go by the names that the sheet gives them. */
function withHeading(problem: ImportProblem, cell: Problem['cell']): ImportProblem {
  const { place } = problem;
  if (typeof place === 'string' || place.name === undefined) return problem;
  return { ...problem, place: { ...place, name: cell?.heading ?? inWords(place.name) } };
}
