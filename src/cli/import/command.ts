import { Command, Option } from 'commander';
import { describeWarnings } from '../../import/describe.ts';
import type { ImportSummary } from '../../import/import.ts';
import {
  contradictionIn,
  type Format,
  formatByName,
  forSheetsOnly,
  joinValues,
  keyOf,
  OPTION_NAMES,
  optionOf,
} from '../../import/options.ts';
import { keepYoungSpaceSmall } from '../../server/lifecycle.ts';
import { describeDatabase } from '../../store/open.ts';
import { Failure, wrongUse } from '../failure.ts';
import { examples, section } from '../help.ts';
import { databaseFileOption, databaseOption, parserOf } from '../options.ts';
import { print, warn } from '../print.ts';
import { describeOutcome } from './describe.ts';
import { ACCOUNT_MISSING, type ImportCommandOptions, importOnce, type Watch } from './once.ts';
import { placeOfRecipe, readRecipe, saveRecipe } from './recipe.ts';
import { checkReportPlace, reported } from './report-file.ts';

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
  const names = command.options.map((option) => option.name());
  const recipe = typed.recipe === undefined ? {} : await readRecipe(typed.recipe, names);
  const given = { ...typed, ...joinValues(recipe, typed) };
  const format = formatOf(file, given);
  const words = argumentsOf(command);
  const { report, saveRecipe: saved, watch, quiet = false } = given;
  if (report !== undefined) await checkReportPlace(report);
  const runOnce = (options: ImportCommandOptions, watching?: Watch) => {
    const work = () => importOnce(file, format, options, words, watching);
    return report === undefined ? work() : reported(report, file, work, describeForPlanner);
  };
  if (watch) {
    const { runWatch } = await import('./watch.ts');
    return runWatch(file, (watching) => runOnce({ ...given, quiet: true }, watching), quiet);
  }
  if (saved !== undefined) await placeOfRecipe(saved);
  tell(await runOnce(given), given);
  if (saved === undefined) return;
  await saveRecipe(saved, given);
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

/** As they were typed after `import`. */
function argumentsOf(command: Command): readonly string[] {
  const { rawArgs = [] } = (command.parent ?? {}) as { readonly rawArgs?: readonly string[] };
  return rawArgs.slice(rawArgs.indexOf(command.name()) + 1);
}

function tell(summary: ImportSummary, { quiet, dryRun = false, database }: ImportCommandOptions): void {
  for (const sentence of describeWarnings(summary)) warn(sentence);
  if (!quiet) print(describeOutcome(summary, dryRun, describeDatabase(database)));
}

function describeForPlanner(summary: ImportSummary): string {
  return [
    ...describeWarnings(summary),
    describeOutcome(summary, false, summary.slug, Number.POSITIVE_INFINITY),
  ].join('\n');
}
