import { Command } from 'commander';
import type { Listed, ListedTable } from '../../store/admin/records.ts';
import { confirm } from '../confirm.ts';
import { databaseFileOption } from '../database-file.ts';
import { Failure } from '../failure.ts';
import { examples } from '../help.ts';
import { databaseOption, jsonOption, withStore } from '../options.ts';
import { count, print, printJson } from '../print.ts';
import { findRecord, ID_OR_NAME, unknownRecord } from './find.ts';
import type { Kind } from './kind.ts';

interface Options {
  readonly database: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

export function removeCommand<T extends ListedTable>(
  kind: Kind<T>,
  description: string,
  example: string,
): Command {
  const { noun } = kind;
  return new Command('remove')
    .description(description)
    .argument('<slug>', 'the account')
    .argument(`<${ID_OR_NAME}>`, `the id of the ${noun} in the list, or its name`)
    .option('--yes', `remove the ${noun} without asking`)
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .addHelpText('after', examples(example, `${example} --yes`))
    .action((slug: string, idOrName: string, options: Options) => remove(kind, slug, idOrName, options));
}

async function remove<T extends ListedTable>(
  kind: Kind<T>,
  slug: string,
  idOrName: string,
  { database, json, yes }: Options,
): Promise<void> {
  await withStore(database, { missing: 'fail' }, async (store) => {
    const { accountId, record } = await findRecord(store, kind, slug, idOrName);
    const isNeeded = kind.withoutIt === undefined && record.shifts > 0;
    if (isNeeded) throw neededByShifts(kind, slug, record);
    if (!yes) await ask(kind, slug, record);
    // Somebody else may have removed it meanwhile, or given it shifts.
    const removal = await store.remove(kind.table, accountId, record.id);
    if (removal === undefined) throw unknownRecord(kind, slug, idOrName);
    const removed = { ...record, shifts: removal.shifts };
    if (!removal.isRemoved) throw neededByShifts(kind, slug, removed);
    if (json) return printJson(removed);
    print(`${slug}: ${nameOf(kind, record)}, is removed.${outcome(kind, removal.shifts)}`);
  });
}

async function ask<T extends ListedTable>(kind: Kind<T>, slug: string, record: Listed<T>): Promise<void> {
  const shifts = record.shifts === 0 ? 'no shifts' : count(record.shifts, 'shift', 'shifts');
  const fate = record.shifts === 0 ? '' : `, which would then be ${kind.withoutIt}`;
  const state = `${nameOf(kind, record)}, has ${shifts}${fate}`;
  if (!process.stdin.isTTY) {
    throw new Failure(
      `Nothing was removed: ${state}. Give --yes to remove the ${kind.noun} without being asked.`,
      { exitCode: 2 },
    );
  }
  const question = `${slug}: ${state}. Remove the ${kind.noun} for good?`;
  if (!(await confirm(question, process.stdin, process.stderr))) throw new Failure('Nothing was removed.');
}

function neededByShifts<T extends ListedTable>(kind: Kind<T>, slug: string, record: Listed<T>): Failure {
  const need = `${count(record.shifts, 'shift needs', 'shifts need')} ${nameOf(kind, record)}`;
  const [them, hide] = record.shifts === 1 ? ['it', 'hide it'] : ['them', 'hide them'];
  return new Failure(
    `Nothing was removed: ${need}. Import ${them} with another group first, ` +
      `or ${hide} with "shiftfeed group set ${slug} ${record.id} --active false".`,
  );
}

function outcome(kind: Kind<ListedTable>, shifts: number): string {
  if (kind.withoutIt === undefined) return '';
  return shifts === 0
    ? ' No shift was changed.'
    : ` ${count(shifts, 'shift is', 'shifts are')} now ${kind.withoutIt}.`;
}

function nameOf(kind: Kind<ListedTable>, { id, name }: Listed<ListedTable>): string {
  return `${kind.noun} ${id}, ${name}`;
}
