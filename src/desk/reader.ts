/** Does what the desk asks of a reader: reads an upload, imports it, or takes the last import back. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  describeInLine,
  describeRefusal,
  describeReplaced,
  describeReport,
  describeUnlisted,
  describeWarnings,
} from '../import/describe.ts';
import { excerptOf } from '../import/excerpt.ts';
import { InvalidValue } from '../import/fields.ts';
import { fixesOf, laterProblems } from '../import/fixes.ts';
import { ChangedSince, type ImportSummary, type PlannedChange } from '../import/import.ts';
import {
  contradictionIn,
  type Format,
  formatByName,
  type ImportValues,
  nameOfKey,
  optionOf,
  sheetOptions,
  withToday,
} from '../import/options.ts';
import type { ImportProblem } from '../import/problems.ts';
import {
  type Answer,
  answersIn,
  type Context,
  forPage,
  idOf,
  labelOf,
  meaningOf,
  type Question,
  questionOf,
  readAnswers,
} from '../import/questions.ts';
import {
  type ImportFile,
  type OpenedFile,
  ReadingFailed,
  readFile,
  todayFor,
  tryReading,
} from '../import/reading.ts';
import { timeOf } from '../import/refusal.ts';
import { undoImport } from '../import/undo.ts';
import type { Account } from '../store/account.ts';
import { StoreFailure } from '../store/failure.ts';
import { openStore } from '../store/open.ts';
import { FIRST_DATE } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { writeChanges } from './changes.ts';
import type {
  Failed,
  Imported,
  Preview,
  Problem,
  ReaderResult,
  ReaderTask,
  Undone,
  UndoTask,
} from './results.ts';

/** What a reader needs of its process. */
export interface ReaderHost {
  readonly nowMs: () => number;
  readonly maxMemoryMb: number;
  /** Called just before an import or an undo is committed, with the id of its entry in the history. */
  readonly onEntry: (entryId: number) => Promise<void>;
}

/** Every failure is a sentence. What is unknown tells nothing, because it may quote the file. */
export async function perform(task: ReaderTask | UndoTask, host: ReaderHost): Promise<ReaderResult | Undone> {
  try {
    const store = await openStore(task.database, { missing: task.kind === 'read' ? 'pretend' : 'create' });
    try {
      return task.kind === 'undo' ? await undo(task, store, host) : await read(task, store, host);
    } finally {
      await store.close();
    }
  } catch (error) {
    const isKnown = [ReadingFailed, StoreFailure, InvalidValue].some((known) => error instanceof known);
    return failed(isKnown ? (error as Error).message : 'An internal error occurred while the file was read.');
  }
}

function failed(message: string): Failed {
  return { kind: 'failed', message };
}

async function undo(
  { account, who, entry }: UndoTask,
  store: Store,
  host: ReaderHost,
): Promise<Undone | Failed> {
  const summary = await undoImport(store, account, who, { entryId: entry, onEntry: host.onEntry });
  if (summary === undefined) return failed('There is no import that could be taken back.');
  const { undone, counts } = summary;
  const file = undone.file === '' ? '' : ` of ${undone.file}`;
  const sentences = [
    `The import${file} at ${timeOf(undone)} is taken back.`,
    counts.account === 'changed' && 'The account has its settings of before.',
    undone.counts.account === 'added' && 'The account itself stays, empty.',
  ];
  return { kind: 'undone', sentences: sentences.filter((sentence) => sentence !== false) };
}

/** An upload, and what is known of it and of its account. */
interface Job {
  readonly task: ReaderTask;
  readonly store: Store;
  readonly host: ReaderHost;
  readonly file: ImportFile;
  readonly format: Format;
  readonly account: Account | undefined;
  readonly values: ImportValues;
  readonly context: Context;
  /** What is wrong with answers, and what the desk itself asks. */
  readonly own: readonly ImportProblem[];
}

/** So often, answers that were meant for another file are left out. */
const MAX_STALE_ROUNDS = 3;

async function read(task: ReaderTask, store: Store, host: ReaderHost): Promise<ReaderResult> {
  let { answers } = task;
  for (let round = 0; ; round++) {
    const job = await prepare({ ...task, answers }, store, host);
    if ('kind' in job) return job;
    const found = await readOnce(job, task.kind === 'read');
    if ('kind' in found) return found;
    const stale = found.problems.flatMap((problem) => (problem.stale ? [problem.stale] : []));
    if (stale.length === 0 || round === MAX_STALE_ROUNDS) return explain(job, found);
    answers = answers.filter(([key, value]) => !stale.some(([one, other]) => one === key && other === value));
  }
}

async function prepare(task: ReaderTask, store: Store, host: ReaderHost): Promise<Job | Failed> {
  const format = formatByName(task.name);
  if (format === undefined)
    return failed(
      `${task.name} is neither a spreadsheet (.xlsx, .ods, .csv) nor a .json file: save it as .xlsx.`,
    );
  const given = readAnswers(fitting(task.answers, format));
  const account = await store.findAccount(task.account);
  const today = todayFor(account, given.values, host.nowMs());
  const asked = await withToday(given.values, async () => today);
  // The page speaks of shifts only; without days, a document would also remove groups, locations and people.
  const from = asked.from ?? (format === 'json' && asked.replace ? FIRST_DATE : undefined);
  const values = { ...asked, from, account: task.account, dryRun: task.kind === 'read' };
  const wrong = contradictionIn(values, format);
  if (wrong !== undefined) return failed(forPage(wrong));
  const groups = account ? await store.list('groups', account.id) : [];
  const isZoneMissing = account === undefined && format === 'sheet' && values.timeZone === undefined;
  return {
    task,
    store,
    host,
    file: fileOf(task),
    format,
    account,
    values,
    context: { answers: task.answers, today, groups: groups.map(({ name }) => name) },
    own: [...given.problems, ...(isZoneMissing ? [ZONE_MISSING] : [])],
  };
}

const ZONE_MISSING: ImportProblem = {
  place: '',
  message: 'the account is new: in which time zone are its shifts?',
  fix: ['--time-zone', 'ZONE'],
};

/** A recipe may say more than this file needs. */
function fitting(answers: readonly Answer[], format: Format): readonly Answer[] {
  const isOn = answers.findLast(([key]) => key === 'replace')?.[1] === 'true';
  return answers.filter(([key]) => {
    const name = nameOfKey(key);
    if (!isOn && ['from', 'to', 'allow-empty', 'allow-removals'].includes(key)) return false;
    if (format === 'sheet' || name === undefined) return true;
    return !optionOf(name).isForSheets && key !== 'allow-removals';
  });
}

function fileOf({ file, name }: ReaderTask): ImportFile {
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

interface FoundProblems {
  readonly headline: string;
  readonly problems: readonly ImportProblem[];
  readonly count: number;
}

async function readOnce(job: Job, isPreview: boolean): Promise<ReaderResult | FoundProblems> {
  const { task, store, host, values, format, own } = job;
  const problems: ImportProblem[] = [];
  let mistakes = 0;
  const changes = isPreview ? await writeChanges(task.folder) : undefined;
  try {
    const reading = await readFile(job.file, format, isPreview ? { ...values, dryRun: true } : values, {
      withStore: (_missing, work) => work(store),
      nowMs: host.nowMs,
      maxMemoryMb: host.maxMemoryMb,
      origin: { who: task.who, file: task.name },
      countsUnlisted: true,
      refuses: (planned) => whyForbidden(planned, task.role),
      expected: task.expected,
      onEntry: host.onEntry,
      onChanges: changes?.add,
      async onProblems(some) {
        for (const one of some) {
          const isAsked = (one.fix ?? one.lacks ?? one.stale) !== undefined;
          if (isAsked ? problems.length < MAX_QUESTIONS : mistakes++ < MAX_MISTAKES) problems.push(one);
        }
      },
    });
    if (reading.kind === 'problems') return { headline: reading.headline, problems, count: reading.count };
    if (own.length > 0) return { headline: '', problems: [], count: 0 };
    if (changes === undefined) return importedAs(reading.summary, job);
    return previewOf(reading.summary, await changes.end(), job);
  } catch (error) {
    if (!(error instanceof ChangedSince)) throw error;
    const again = await readOnce(job, true);
    return 'kind' in again && again.kind === 'preview' ? { ...again, isChangedSince: true } : again;
  } finally {
    await changes?.close();
  }
}

/** Whether an account is premium is not decided here, and planners change shifts alone. */
function whyForbidden({ existing, settings, tables }: PlannedChange, role: 'planner' | 'owner') {
  if (settings.premium !== (existing?.premium ?? false))
    return 'whether the account is premium cannot be changed here: take "premium" out of the document';
  if (role === 'owner') return undefined;
  if (existing === undefined) return 'only an owner can make an account';
  if (
    settings.name !== existing.name ||
    settings.timeZone !== existing.timeZone ||
    settings.sort !== existing.sort
  )
    return 'only an owner can change the name, the time zone and the order of the account: take them out of the document';
  const changed = (['groups', 'locations', 'people'] as const).find(
    (table) => tables[table].changed + tables[table].removed > 0,
  );
  return changed && `only an owner can change or remove ${changed}: a planner's document may only add some`;
}

/** Problems become questions where a field can solve them. If there are none, the sheet is shown with its mistakes. */
async function explain(job: Job, { headline, problems, count }: FoundProblems): Promise<ReaderResult> {
  const { own, context, file, values, format } = job;
  const later =
    format === 'sheet'
      ? await laterProblems(fixesOf(problems), values, (tried) => tryReading(file, tried))
      : [];
  const questions = new Map<string, Question>();
  const mistakes: ImportProblem[] = [];
  for (const problem of [...own, ...problems, ...later]) {
    const question = questionOf(problem, context);
    if (question === undefined) mistakes.push(problem);
    else if (!questions.has(question.id)) questions.set(question.id, question);
  }
  if (questions.size > 0)
    return {
      kind: 'questions',
      questions: [...questions.values()],
      ...(mistakes.length > 0 && { mistakes: mistakes.map((problem) => shownProblem(problem)) }),
    };
  const opened = await file.open();
  try {
    const { cells, sheets } =
      format === 'sheet'
        ? await excerptOf(opened.bytes, sheetOptions(values), mistakes)
        : { cells: [], sheets: [] };
    const shown = mistakes.map((problem, i) => shownProblem(problem, cells[i]));
    return { kind: 'mistakes', headline, problems: shown, more: count - shown.length, sheets };
  } finally {
    opened.close();
  }
}

function shownProblem({ place, id, message }: ImportProblem, cell?: Problem['cell']): Problem {
  return {
    place: id === undefined ? place : `${place} (id ${id})`,
    message: forPage(message),
    ...(cell && { cell }),
  };
}

/** Thirteen years. A page with more would hardly move, and everybody would wait while the desk writes it. */
const MAX_DAYS = 5_000;

/** These have fields of their own on the page. */
const ABOUT_REMOVALS = ['replace', 'from', 'to', 'allow-empty', 'allow-removals'];

function previewOf(
  summary: ImportSummary,
  { changes, days }: Pick<Preview, 'changes' | 'days'>,
  { values, format, context, task }: Job,
): Preview {
  const { replace = false, from = '', to = '' } = values;
  const used = new Set(answersIn(values).map(idOf));
  const answers = task.answers.filter(
    (answer) => !ABOUT_REMOVALS.includes(answer[0]) && used.has(idOf(answer)),
  );
  return {
    kind: 'preview',
    digest: summary.digest ?? '',
    format,
    how: [...describeReport(summary), ...describeReplaced(summary)].map(forPage),
    answers: answers.map((answer) => ({
      option: answer[0],
      value: answer[1],
      label: labelOf(answer),
      text: meaningOf(answer),
    })),
    account: summary.account,
    counts: summary.tables,
    replace: { on: replace, from: replace ? (from === FIRST_DATE ? '' : from) : context.today, to },
    warnings: [
      ...describeWarnings(summary, true),
      ...(days.length > MAX_DAYS ? [`The changes of the first ${MAX_DAYS} days are listed here.`] : []),
    ],
    unlisted: describeUnlisted(summary, true),
    undoRefusal: describeRefusal(summary, 'Undo')[0],
    changes,
    days: days.slice(0, MAX_DAYS),
  };
}

function importedAs(summary: ImportSummary, { task }: Job): Imported {
  const { tables, account, undoRefusal } = summary;
  const hasChanged =
    account !== 'unchanged' || Object.values(tables).some((one) => one.added + one.changed + one.removed > 0);
  return {
    kind: 'imported',
    headline: describeInLine(task.name, summary),
    sentences: [
      ...describeWarnings(summary, true),
      ...describeUnlisted(summary, true),
      ...describeRefusal(summary, 'Undo'),
    ],
    counts: tables,
    canUndo: hasChanged && undoRefusal === undefined,
  };
}
