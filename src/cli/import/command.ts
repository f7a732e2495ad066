import { Command, Option } from 'commander';
import { todayIn } from '../../feed/pages/today.ts';
import type { DocumentPart } from '../../import/document.ts';
import { timeZoneName } from '../../import/fields.ts';
import type { ChangeTeller, ImportSummary } from '../../import/import.ts';
import {
  contradictionIn,
  type Format,
  formatByName,
  forSheetsOnly,
  type ImportValues,
  joinValues,
  keyOf,
  OPTION_NAMES,
  optionOf,
  removals,
  sheetOptions,
  withToday,
} from '../../import/options.ts';
import {
  countProblems,
  describeProblem,
  describeProblems,
  ImportProblems,
  listProblems,
  type ProblemTeller,
} from '../../import/problems.ts';
import { beginReading, readParts } from '../../import/read.ts';
import type { SheetReport } from '../../import/sheet/report.ts';
import { formatDate } from '../../listing/calendar.ts';
import { quote } from '../../quote.ts';
import { describeDatabase } from '../../store/open.ts';
import { databaseFileOption } from '../database-file.ts';
import { Failure } from '../failure.ts';
import { keepYoungSpaceSmall } from '../heap.ts';
import { examples, section } from '../help.ts';
import { databaseOption, parserOf, withStore } from '../options.ts';
import { print, warn } from '../print.ts';
import { betterCommands, type Fix } from './better-command.ts';
import { describeChange, describeOutcome, describeWarnings, type ImportOutcome } from './describe.ts';
import { type OpenFile, openFile, readingFor } from './file.ts';
import { displayProgress, type ProgressDisplay } from './progress.ts';
import { placeOfRecipe, readRecipe, saveRecipe } from './recipe.ts';
import { checkReportPlace, reported } from './report-file.ts';
import type { Guard } from './watch.ts';

/** What an import is told, and what only its command knows. */
export interface ImportCommandOptions extends ImportValues {
  readonly database: string;
  readonly show?: boolean;
  readonly quiet?: boolean;
  readonly allProblems?: boolean;
  readonly watch?: boolean;
  /** Files. */
  readonly report?: string;
  readonly recipe?: string;
  readonly saveRecipe?: string;
}

export function importCommand(): Command {
  const command = new Command('import')
    .summary('Read shifts from a spreadsheet or a JSON document.')
    .description(
      'Reads an account and its groups, locations, people and shifts from a JSON document, or the shifts of an account from a ' +
        'workbook or a CSV. Records are added, or changed where they are known. It is one transaction: with any problem, nothing is imported at all.',
    )
    .argument('<file>', 'an .xlsx, .ods, .csv or .json file, or - for standard input');
  for (const option of commandOptions(false)) command.addOption(option);
  command
    .option('--show', 'with --dry-run: list what would be added (+), changed (~) and removed (-)')
    .option('--quiet', 'show neither progress nor summary, only problems and questions')
    .option('--all-problems', 'show every problem of the file, not just the first 20')
    .option('--report <file>', 'also write what came of it into a text file, for the planner')
    .option('--watch', 'import at once, and again whenever the file has changed and lies still');
  for (const option of commandOptions(true)) command.addOption(option);
  return command
    .option('--recipe <file>', 'sheets: read options from a JSON file; those given here win')
    .option('--save-recipe <file>', 'sheets: write the options into such a file, for the next time')
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText(
      'after',
      section(
        'Columns of a sheet, in any order, also in other languages:',
        'id, date, start_time, end_time, end_date, group, location, address,',
        'person, publish_date, remarks, starred, cancelled, noshow, times, hours,',
        'first_name, last_name',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'shiftfeed import plan.json',
        'shiftfeed import plan.xlsx --account acme --published-from today',
        'shiftfeed import plan.json --replace --dry-run --show',
        'shiftfeed import plan.xlsx --account acme --recipe plan.recipe.json --watch',
      ),
    )
    .action(run);
}

/** The options of an import, as Commander knows them. */
function commandOptions(areForSheets: boolean): readonly Option[] {
  const names = OPTION_NAMES.filter((name) => (optionOf(name).isForSheets ?? false) === areForSheets);
  return names.map((name) => {
    const { takes, help, choices, fromText } = optionOf(name);
    const option = new Option(`--${keyOf(name)}${takes === undefined ? '' : ` ${takes}`}`, help);
    if (choices !== undefined) return option.choices(choices);
    return takes === undefined ? option : option.argParser(parserOf(fromText));
  });
}

async function run(file: string, typed: ImportCommandOptions, command: Command): Promise<void> {
  keepYoungSpaceSmall();
  const optionNames = command.options.map((option) => option.name());
  const recipe = typed.recipe === undefined ? {} : await readRecipe(typed.recipe, optionNames);
  const given = { ...typed, ...joinValues(recipe, typed) };
  const format = formatOf(file, given);
  const words = argumentsOf(command);
  const { report, saveRecipe: saved, watch, quiet = false } = given;
  if (report !== undefined) await checkReportPlace(report);
  const runOnce = (options: ImportCommandOptions, way: Way) => {
    const work = () => importOnce(file, format, options, way);
    return report === undefined ? work() : reported(report, file, work, describeForPlanner);
  };
  if (watch) {
    const { runWatch } = await import('./watch.ts');
    const quietly = { ...given, quiet: true };
    return runWatch(file, (guard, tellProblems) => runOnce(quietly, { words, guard, tellProblems }), quiet);
  }
  if (saved !== undefined) await placeOfRecipe(saved, optionNames);
  tell(await runOnce(given, { words }), given);
  if (saved === undefined) return;
  await saveRecipe(saved, given, optionNames);
  if (!quiet) print(`Saved the recipe ${saved}.`);
}

/** Chooses the format by the name of the file. Throws a Failure if options contradict each other. */
export function formatOf(file: string, options: ImportCommandOptions): Format {
  if (options.format === undefined && file === '-')
    throw wrongUse('Say with --format what standard input is: json, csv, xlsx or ods.');
  const format =
    options.format === undefined ? formatByName(file) : options.format === 'json' ? 'json' : 'sheet';
  if (format === undefined)
    throw new Failure(
      `${file} is neither a spreadsheet (.xlsx, .ods, .csv) nor a .json file: save it as .xlsx, or say with --format what it is.`,
    );
  const wrong = wrongFiles(options, format) ?? contradictionIn(options, format) ?? wrongOutput(options);
  const sentence = wrong ?? (options.watch ? wrongWatch(file, options, format) : undefined);
  if (sentence !== undefined) throw wrongUse(sentence);
  return format;
}

function wrongFiles({ recipe, saveRecipe }: ImportCommandOptions, format: Format): string | undefined {
  if (format === 'sheet' || (recipe ?? saveRecipe) === undefined) return undefined;
  return forSheetsOnly(recipe === undefined ? 'save-recipe' : 'recipe');
}

function wrongOutput(options: ImportCommandOptions): string | undefined {
  const { dryRun, show, quiet, report, allProblems, saveRecipe } = options;
  if (dryRun && saveRecipe !== undefined)
    return '--save-recipe writes a file, and --dry-run writes nothing: give one of them.';
  if (report !== undefined && (dryRun || allProblems))
    return '--report is for imports, and tells the first 20 problems: leave out --dry-run and --all-problems.';
  if (show && !dryRun) return '--show is for --dry-run: give both.';
  return show && quiet ? '--show and --quiet say the opposite.' : undefined;
}

function wrongWatch(
  file: string,
  { dryRun, saveRecipe, account }: ImportCommandOptions,
  format: Format,
): string | undefined {
  if (file === '-') return '--watch is for a file: standard input is read once.';
  if (dryRun) return '--watch imports, and --dry-run does not: give one of them.';
  if (saveRecipe !== undefined)
    return '--save-recipe is for a single import: save the recipe first, and give --recipe with --watch.';
  return format === 'sheet' && account === undefined ? ACCOUNT_MISSING : undefined;
}

const ACCOUNT_MISSING = 'Say with --account whose shifts these are: a sheet does not tell.';

function wrongUse(sentence: string): Failure {
  return new Failure(sentence, { exitCode: 2 });
}

interface Way {
  /** The arguments as they were typed. */
  readonly words: readonly string[];
  readonly guard?: Guard;
  /** By default, --all-problems writes to standard error. */
  readonly tellProblems?: ((lines: readonly string[]) => void) | undefined;
}

export async function importOnce(
  file: string,
  format: Format,
  given: ImportCommandOptions,
  way: Way,
): Promise<ImportOutcome> {
  const options = await withToday(given, () => todayFor(given));
  const wrong = contradictionIn(options, format);
  if (wrong !== undefined) throw wrongUse(wrong);
  const sheet = format === 'sheet' ? sheetOptions(options) : undefined;
  const opened = await openFile(file, options.watch ?? false);
  let report: SheetReport | undefined;
  const unchecked = readParts(opened.bytes, sheet, way.guard?.stop);
  const reading = readingFor(options.account, opened.name, unchecked, (made) => {
    report = made;
  });
  const parts = way.guard === undefined ? reading : way.guard.watch(reading);
  try {
    if (sheet !== undefined && options.account === undefined) throw await accountMissing(parts, way.words);
    const summary = await importFile(opened, format, parts, options, way);
    return { summary, report };
  } finally {
    // If the import failed, the document may still be open for reading.
    await parts.return(undefined);
    opened.close();
  }
}

/** The date in the time zone that the account will have after the import. */
async function todayFor({ database, account: slug = '', timeZone }: ImportCommandOptions): Promise<string> {
  if (timeZone !== undefined) return todayAt(timeZone);
  const account = await withStore(database, { missing: 'pretend' }, (store) => store.findAccount(slug));
  if (account === undefined || timeZoneName(account.timeZone) !== undefined)
    return todayAt(account?.timeZone ?? 'UTC');
  throw new Failure(
    `The account ${slug} has the time zone ${quote(account.timeZone)}, which does not exist, so nobody knows ` +
      'what today is there: give another one with --time-zone.',
  );
}

/** Another program may have given the account a zone that does not exist. */
function todayAt(timeZone: string): string {
  return formatDate(todayIn(timeZoneName(timeZone) ?? 'UTC', Date.now()));
}

/** As they were typed after `import`. */
function argumentsOf(command: Command): readonly string[] {
  const { rawArgs = [] } = (command.parent ?? {}) as { readonly rawArgs?: readonly string[] };
  return rawArgs.slice(rawArgs.indexOf(command.name()) + 1);
}

/** Also reports other problems, so that one command line can solve all of them. */
async function accountMissing(
  parts: AsyncGenerator<DocumentPart>,
  given: readonly string[],
): Promise<Failure> {
  const { problems } = await beginReading(parts);
  const fixes: Fix[] = [['--account', 'NAME'], ...problems.flatMap(({ fix }) => (fix ? [fix] : []))];
  const shown = problems.slice(0, MAX_SHOWN_PROBLEMS);
  return new Failure(
    [ACCOUNT_MISSING, ...listProblems(shown, problems.length), ...pasted(given, fixes)].join('\n'),
    { exitCode: 2 },
  );
}

const MAX_SHOWN_PROBLEMS = 20;

function pasted(given: readonly string[], fixes: readonly Fix[]): readonly string[] {
  return betterCommands(given, fixes).map((command, i) => `${i === 0 ? 'Try:' : 'Or: '} ${command}`);
}

async function importFile(
  opened: OpenFile,
  format: Format,
  unread: AsyncGenerator<DocumentPart>,
  options: ImportCommandOptions,
  { words, tellProblems }: Way,
): Promise<ImportSummary> {
  const { importParts } = await import('../../import/import.ts');
  const { parts, hasProblem } = await beginReading(unread);
  // If there is a problem at the beginning, nothing will be written.
  const isPretended = (options.dryRun ?? false) || hasProblem;
  const progress = options.quiet ? undefined : progressOf(opened);
  const fixes: Fix[] = [];
  const showChanges: ChangeTeller = async (changes, nameOf) => {
    progress?.clear();
    await written(
      process.stdout,
      changes.map((change) => describeChange(change, nameOf)),
    );
  };
  const showProblems: ProblemTeller = async (problems) => {
    progress?.clear();
    fixes.push(...problems.flatMap(({ fix }) => (fix ? [fix] : [])));
    const lines = problems.map((problem) => `  ${describeProblem(problem)}`);
    if (tellProblems === undefined) await written(process.stderr, lines);
    else tellProblems(lines);
  };
  try {
    const summary = await withStore(
      options.database,
      { missing: isPretended ? 'pretend' : 'create' },
      (store) =>
        importParts(store, parts, {
          ...removals(options, format),
          dryRun: isPretended,
          today: todayAt,
          countsUnlisted: !options.quiet || options.watch,
          onProgress: progress?.show,
          onChanges: options.show ? showChanges : undefined,
          onProblems: options.allProblems ? showProblems : undefined,
        }),
    );
    progress?.clear();
    return summary;
  } catch (error) {
    progress?.clear();
    if (!(error instanceof ImportProblems)) throw error;
    fixes.push(...error.problems.flatMap(({ fix }) => (fix ? [fix] : [])));
    const told = options.allProblems ? countProblems(error.count) : describeProblems(error);
    throw new Failure([told, ...pasted(words, fixes)].join('\n'), { cause: error });
  }
}

function tell(outcome: ImportOutcome, { quiet, dryRun = false, database }: ImportCommandOptions): void {
  for (const sentence of describeWarnings(outcome.summary)) warn(sentence);
  if (!quiet) print(describeOutcome(outcome, dryRun, describeDatabase(database)));
}

function describeForPlanner(outcome: ImportOutcome): string {
  const { summary } = outcome;
  return [...describeWarnings(summary), describeOutcome(outcome, false, summary.slug)].join('\n');
}

function progressOf({ size, bytesRead }: OpenFile): ProgressDisplay {
  return displayProgress({
    write: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY,
    nowMs: () => performance.now(),
    fractionRead: () => (size ? Math.min(1, bytesRead() / size) : undefined),
  });
}

/** Waits until the lines are written, so that they never pile up in memory. */
function written(stream: NodeJS.WriteStream, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.write(`${lines.join('\n')}\n`, () => resolve());
  });
}
