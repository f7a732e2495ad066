import { Command, Option } from 'commander';
import type { ChangeTeller } from '../../import/changes.ts';
import type { DocumentPart } from '../../import/document.ts';
import type { ImportSummary } from '../../import/import.ts';
import { describeProblem, ImportProblems, type ProblemTeller } from '../../import/problems.ts';
import { readParts } from '../../import/read.ts';
import type { SheetReport } from '../../import/sheet/report.ts';
import { keepYoungSpaceSmall } from '../../server/lifecycle.ts';
import { describeDatabase } from '../../store/open.ts';
import { TABLES } from '../../store/records.ts';
import { Failure } from '../failure.ts';
import { examples, section } from '../help.ts';
import { databaseFileOption, databaseOption, withStore } from '../options.ts';
import { print, table, warn } from '../print.ts';
import { betterCommands, type Fix } from './better-command.ts';
import { describeChange } from './changes.ts';
import { beginReading, type OpenFile, openFile, problemsAtBeginning, readingFor } from './file.ts';
import {
  ACCOUNT_MISSING,
  FORMATS,
  type Format,
  formatOf,
  type ImportCommandOptions,
  parseSlug,
  removals,
  sheetOptions,
} from './options.ts';
import { countProblems, describeProblems, listProblems } from './problems.ts';
import { displayProgress, type ProgressDisplay } from './progress.ts';
import { readRecipe, withRecipe } from './recipe.ts';
import { describeReplaced, describeReport } from './report.ts';
import { checkReportPlace, reported } from './report-file.ts';
import { placeOfRecipe, saveRecipe } from './save-recipe.ts';
import { addSheetOptions } from './sheet-options.ts';
import { parseDayOrToday, todayAt, withToday } from './today.ts';
import { describeUnlisted } from './unlisted.ts';
import { describeWarnings } from './warnings.ts';
import type { Guard, ImportOutcome } from './watch/run.ts';

export function importCommand(): Command {
  const command = new Command('import')
    .summary('Read shifts from a spreadsheet or a JSON document.')
    .description(
      'Reads an account and its groups, locations, people and shifts from a JSON document, or the shifts of an account from a ' +
        'workbook or a CSV. Records are added, or changed where they are known. It is one transaction: with any problem, nothing is imported at all.',
    )
    .argument('<file>', 'an .xlsx, .ods, .csv or .json file, or - for standard input')
    .addOption(
      new Option('--format <format>', 'what the file is, if its name does not tell').choices(FORMATS),
    )
    .option(
      '--account <slug>',
      'the account of a sheet; a JSON document for another one is refused',
      parseSlug,
    )
    .option('--replace', 'also remove what the file does not have; of a sheet, only shifts')
    .option(
      '--from <date|today>',
      'with --replace: remove only shifts that start on this day or later',
      parseDayOrToday,
    )
    .option(
      '--to <date|today>',
      'with --replace: remove only shifts that start on this day or earlier',
      parseDayOrToday,
    )
    .option('--allow-empty', 'with --replace: remove shifts even if the file has none at all')
    .option('--allow-removals', 'with --replace by a sheet: remove even more than half of the shifts')
    .option('--dry-run', 'check everything and say what would change, but change nothing')
    .option('--show', 'with --dry-run: list what would be added (+), changed (~) and removed (-)')
    .option('--quiet', 'show neither progress nor summary, only problems and questions')
    .option('--all-problems', 'show every problem of the file, not just the first 20')
    .option('--report <file>', 'also write what came of it into a text file, for the planner')
    .option('--watch', 'import at once, and again whenever the file has changed and lies still');
  return addSheetOptions(command)
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

async function run(file: string, typed: ImportCommandOptions, command: Command): Promise<void> {
  keepYoungSpaceSmall();
  const optionNames = command.options.map((option) => option.name());
  const recipe = typed.recipe === undefined ? {} : await readRecipe(typed.recipe, optionNames);
  const given = withRecipe(recipe, typed);
  const format = formatOf(file, given);
  const words = argumentsOf(command);
  const { report, saveRecipe: saved, watch, quiet = false } = given;
  if (report !== undefined) await checkReportPlace(report);
  const runOnce = (options: ImportCommandOptions, way: Way) => {
    const work = () => importOnce(file, format, options, way);
    return report === undefined ? work() : reported(report, file, work, describeForPlanner);
  };
  if (watch) {
    const { runWatch } = await import('./watch/run.ts');
    const quietly = { ...given, quiet: true };
    return runWatch(file, (guard, tellProblems) => runOnce(quietly, { words, guard, tellProblems }), quiet);
  }
  if (saved !== undefined) await placeOfRecipe(saved, optionNames);
  tell(await runOnce(given, { words }), given);
  if (saved === undefined) return;
  await saveRecipe(saved, given, optionNames);
  if (!quiet) print(`Saved the recipe ${saved}.`);
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
  { words, guard, tellProblems }: Way,
): Promise<ImportOutcome> {
  const options = await withToday(given);
  const sheet = format === 'sheet' ? sheetOptions(options) : undefined;
  const opened = await openFile(file, options.watch ?? false);
  let report: SheetReport | undefined;
  const unchecked = readParts(opened.bytes, sheet, guard?.stop);
  const reading = readingFor(options.account, opened.name, unchecked, (made) => {
    report = made;
  });
  const parts = guard === undefined ? reading : guard.watch(reading);
  try {
    if (sheet !== undefined && options.account === undefined) throw await accountMissing(parts, words);
    const summary = await importFile(opened, format, parts, options, { given: words, tellProblems });
    return { summary, report };
  } finally {
    // If the import failed, the document may still be open for reading.
    await parts.return(undefined);
    opened.close();
  }
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
  const problems = await problemsAtBeginning(parts);
  const fixes: Fix[] = [['--account', 'NAME'], ...problems.flatMap(({ fix }) => (fix ? [fix] : []))];
  const shown = problems.slice(0, MAX_SHOWN_PROBLEMS);
  return new Failure(
    [ACCOUNT_MISSING, ...listProblems(shown, problems.length), ...pasted(given, fixes)].join('\n'),
    {
      exitCode: 2,
    },
  );
}

const MAX_SHOWN_PROBLEMS = 20;

function pasted(given: readonly string[], fixes: readonly Fix[]): readonly string[] {
  return betterCommands(given, fixes).map((command, i) => `${i === 0 ? 'Try:' : 'Or: '} ${command}`);
}

interface Telling extends Pick<Way, 'tellProblems'> {
  /** The arguments as they were typed. */
  readonly given: readonly string[];
}

async function importFile(
  opened: OpenFile,
  format: Format,
  unread: AsyncGenerator<DocumentPart>,
  options: ImportCommandOptions,
  { given, tellProblems }: Telling,
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
    throw new Failure([told, ...pasted(given, fixes)].join('\n'), { cause: error });
  }
}

function tell(
  { summary, report }: ImportOutcome,
  { quiet, dryRun = false, database }: ImportCommandOptions,
): void {
  for (const sentence of describeWarnings(summary)) warn(sentence);
  if (!quiet) print(describe(summary, report, dryRun, describeDatabase(database)));
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

function describe(
  summary: ImportSummary,
  report: SheetReport | undefined,
  dryRun: boolean,
  database: string,
): string {
  const { slug, account, tables } = summary;
  const outcome = { added: 'is new', changed: 'has new settings', unchanged: 'keeps its settings' }[account];
  const tallies = TABLES.map((name) => {
    const { added, changed, removed, unchanged } = tables[name];
    return [name, added, changed, removed, unchanged];
  });
  return [
    dryRun
      ? `Nothing was written: this is what an import into ${database} would do.`
      : `Imported into ${database}.`,
    `The account ${slug} ${outcome}.`,
    ...(report === undefined ? [] : describeReport(report)),
    ...describeReplaced(summary),
    table([['', 'added', 'changed', 'removed', 'unchanged'], ...tallies]),
    ...describeUnlisted(summary),
  ].join('\n');
}

function describeForPlanner({ summary, report }: ImportOutcome): string {
  return [...describeWarnings(summary), describe(summary, report, false, summary.slug)].join('\n');
}
