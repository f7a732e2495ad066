import { formatDate } from '@shiftfeed/common/days';
import { todayIn } from '@shiftfeed/common/zone';
import { Command } from 'commander';
import { CHECKS, type Check, type Diagnosis, examine, type Finding } from '../doctor/examine.ts';
import { StoreFailure } from '../store/failure.ts';
import { describeDatabase, warningAboutDisk } from '../store/open.ts';
import { Failure } from './failure.ts';
import { addCommonOptions, type CommonOptions, withStore } from './options.ts';
import { print, printJson } from './print.ts';

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .summary('Check the database, and say what to do about what is wrong.')
    .description(
      'Checks the database and changes nothing. Says what is wrong and what to do about it, and which shifts are not listed ' +
        'and why. The exit code is 1 when something is wrong, and 0 when all is well.',
    );
  return addCommonOptions(command, 'shiftfeed doctor').action(run);
}

async function run({ database, json }: CommonOptions): Promise<void> {
  const diagnosis = await diagnose(database);
  const wrong = diagnosis.findings.filter(({ isWrong }) => isWrong).length;
  if (json) printJson(describe(database, diagnosis));
  else print(textOf(database, diagnosis));
  if (wrong > 0) throw new Failure(wrong === 1 ? 'Something is wrong.' : `${wrong} things are wrong.`);
}

async function diagnose(database: string): Promise<Diagnosis> {
  const today = (timeZone: string) => formatDate(todayIn(timeZone, Date.now()));
  try {
    const { checks, findings } = await withStore(database, { missing: 'fail', readOnly: true }, (store) =>
      examine(store, today, Date.now()),
    );
    return { checks, findings: [...findingsAboutDisk(database), ...findings] };
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    const finding = { check: 'database', isWrong: true, account: undefined, advice: undefined } as const;
    return { checks: ['database'], findings: [{ ...finding, sentence: error.message }] };
  }
}

/** Not called wrong: a single process may do well there for a long time. */
function findingsAboutDisk(database: string): readonly Finding[] {
  const sentence = warningAboutDisk(database);
  const about = { check: 'database', isWrong: false, account: undefined, advice: undefined } as const;
  return sentence === undefined ? [] : [{ ...about, sentence }];
}

function describe(database: string, { checks, findings }: Diagnosis): object {
  return {
    database: describeDatabase(database),
    well: !findings.some(({ isWrong }) => isWrong),
    checks: checks.map((check) => ({ check, well: isWell(check, findings) })),
    findings: findings.map(({ check, isWrong, account, sentence, advice }) => ({
      check,
      wrong: isWrong,
      account: account ?? null,
      sentence,
      advice: advice ?? null,
    })),
  };
}

function textOf(database: string, { checks, findings }: Diagnosis): string {
  const wrong = findings.filter(({ isWrong }) => isWrong);
  const notes = findings.filter(({ isWrong }) => !isWrong);
  return [
    `The database is ${describeDatabase(database)}`,
    ...checks.filter((check) => isWell(check, findings)).map((check) => `well   ${CHECKS[check]}`),
    ...notes.map((finding) => `note   ${sentencesOf(finding)}`),
    ...wrong.map((finding) => `WRONG  ${sentencesOf(finding)}`),
  ].join('\n');
}

function sentencesOf({ sentence, advice }: Finding): string {
  return advice === undefined ? sentence : `${sentence} ${advice}`;
}

function isWell(check: Check, findings: readonly Finding[]): boolean {
  return !findings.some((finding) => finding.check === check && finding.isWrong);
}
