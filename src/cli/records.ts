/** `group`, `location` and `person`: what an account has besides shifts. All three are listed, changed and removed alike. */

import { foldName } from '@shiftfeed/common/names';
import { count, onOneLine, quote } from '@shiftfeed/common/quote';
import { Command, Option } from 'commander';
import type { Changes, Listed, ListedTable } from '../store/admin/records.ts';
import type { RecordOf } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { confirmRemoval } from './confirm.ts';
import { Failure } from './failure.ts';
import { examples } from './help.ts';
import {
  addCommonOptions,
  type CommonOptions,
  needAccount,
  parseAddress,
  parseBoolean,
  parseName,
  withStore,
} from './options.ts';
import { print, printJson, table } from './print.ts';

/** What the commands need to know of groups, of locations or of people. */
interface Kind<T extends ListedTable> {
  /** Their table. Its name is also what several of them are called. */
  readonly records: T;
  /** What one of them is called, which is also the name of its command. */
  readonly noun: string;
  /** Whether the name tells one from another, so that two of the same name would be taken for one. */
  readonly isKnownByName: boolean;
  /** What shifts are called after one of them was removed. undefined: shifts cannot be without one. */
  readonly withoutIt: string | undefined;
  /** The cells of a list between the id and the number of shifts, by their headings. */
  cellsOf(record: Listed<T>): Readonly<Record<string, string>>;
  /** What a record is like after `set`, as the end of a sentence. */
  describe(record: RecordOf<T>): string;
  /** What `set` takes: an option for each field that can be changed, of the same name. */
  readonly options: readonly Option[];
  readonly setDescription: string;
  readonly removeDescription: string;
  /** Which one examples are about, and what they set. */
  readonly example: { readonly id: number; readonly change: string };
}

export function groupCommand(): Command {
  return recordsCommand<'groups'>({
    records: 'groups',
    noun: 'group',
    isKnownByName: false,
    withoutIt: undefined,
    cellsOf: ({ name, active, private: isPrivate }) => ({
      NAME: name,
      ACTIVE: active ? 'yes' : 'no',
      PRIVATE: isPrivate ? 'yes' : 'no',
    }),
    describe({ name, active, private: isPrivate }) {
      const shown = active ? 'active' : 'not active, so its shifts are not listed';
      return `${name}, ${isPrivate ? 'private' : 'not private'}, ${shown}`;
    },
    options: [
      nameOption(),
      new Option('--active <true|false>', 'whether its shifts are listed').argParser(parseBoolean),
      new Option(
        '--private <true|false>',
        'whether it is marked as private; it is listed all the same',
      ).argParser(parseBoolean),
    ],
    setDescription:
      'Change a group; what is left out stays. Shifts of a group that is not active are not listed.',
    removeDescription: 'Remove a group that no shift has, after asking. A shift needs a group.',
    example: { id: 3, change: '--active false' },
  });
}

export function locationCommand(): Command {
  return recordsCommand<'locations'>({
    records: 'locations',
    noun: 'location',
    isKnownByName: false,
    withoutIt: 'without a location',
    cellsOf: ({ name, address }) => ({ NAME: name, ADDRESS: address }),
    describe: ({ name, address }) => `${name}, ${address === '' ? 'without an address' : onOneLine(address)}`,
    options: [
      nameOption(),
      new Option('--address <text>', 'its address; "" for none').argParser(parseAddress),
    ],
    setDescription: 'Change a location; what is left out stays.',
    removeDescription: 'Remove a location, after asking. Its shifts stay, without a location.',
    example: { id: 7, change: '--name Pier' },
  });
}

export function personCommand(): Command {
  return recordsCommand<'people'>({
    records: 'people',
    noun: 'person',
    isKnownByName: true,
    withoutIt: 'open',
    cellsOf: ({ name }) => ({ NAME: name }),
    describe: ({ name }) => name,
    options: [nameOption()],
    setDescription:
      'Change the name of a person. With --merge, the name may be that of another person, who gets the shifts.',
    removeDescription: 'Remove a person, after asking. The shifts stay, as open ones.',
    example: { id: 3, change: '--name Noor' },
  });
}

function nameOption(): Option {
  return new Option('--name <text>', 'its name').argParser(parseName);
}

function recordsCommand<T extends ListedTable>(kind: Kind<T>): Command {
  const { noun, records } = kind;
  return new Command(noun)
    .summary(`List, change or remove the ${records} of an account.`)
    .description(
      `Lists, changes or removes the ${records} of an account. A change holds from the next request on.`,
    )
    .addCommand(listCommand(kind))
    .addCommand(setCommand(kind))
    .addCommand(removeCommand(kind))
    .addHelpText('after', examples(`shiftfeed ${noun} list acme`));
}

function listCommand<T extends ListedTable>({ noun, records, cellsOf }: Kind<T>): Command {
  const command = new Command('list')
    .description(`List the ${records} of an account, with the number of shifts of each.`)
    .argument('<slug>', 'the account');
  const example = `shiftfeed ${noun} list acme`;
  return addCommonOptions(command, example).action(async (slug: string, options: CommonOptions) => {
    const found = await withStore(options.database, { missing: 'fail', readOnly: true }, async (store) =>
      store.list(records, (await needAccount(store, slug)).id),
    );
    if (options.json) return printJson(found);
    const [first] = found;
    if (first === undefined) return print(`${slug} has no ${records}.`);
    const rows = found.map((record) => [record.id, ...Object.values(cellsOf(record)), record.shifts]);
    print(table([['ID', ...Object.keys(cellsOf(first)), 'SHIFTS'], ...rows]));
  });
}

function setCommand<T extends ListedTable>(kind: Kind<T>): Command {
  const { noun, options, example } = kind;
  const command = commandOnRecord('set', noun, kind.setDescription);
  for (const option of options) command.addOption(option);
  if (kind.isKnownByName)
    command.option('--merge', 'give the shifts to the person who has that name already');
  return addCommonOptions(command, `shiftfeed ${noun} set acme ${example.id} ${example.change}`).action(
    async (slug: string, idOrName: string, { database, json, merge, ...given }: SetOptions) => {
      const names = options.map((option) => option.attributeName());
      const changes = Object.fromEntries(
        Object.entries(given).filter(([name]) => names.includes(name)),
      ) as Changes<T>;
      if (Object.keys(changes).length === 0) {
        const flags = options.map(({ long }) => String(long));
        command.error(`error: nothing to set: give ${listed(flags)}`);
      }
      await withStore(database, { missing: 'fail' }, async (store) => {
        const found = await findRecord(store, kind, slug, idOrName);
        const twin = kind.isKnownByName ? twinOf(found, given.name) : undefined;
        if (twin !== undefined && !merge) throw alreadyThere(kind, slug, twin, found.record);
        if (twin === undefined && merge) throw nobodyToMerge(kind, slug, given.name);
        if (twin !== undefined) return mergeInto(store, kind, slug, found, twin, json);
        const record = await store.change(kind.records, found.accountId, found.record.id, changes);
        // Somebody else may have removed it meanwhile.
        if (record === undefined) throw unknownRecord(kind, slug, idOrName);
        if (json) return printJson(record);
        print(`${slug}: ${noun} ${record.id} is ${kind.describe(record)}.`);
        if (foldName(record.name) !== foldName(found.record.name)) print(oldNameReturns(kind, found.record));
      });
    },
  );
}

interface SetOptions extends CommonOptions {
  readonly name?: string;
  readonly merge?: boolean;
}

interface Found<T extends ListedTable> {
  readonly accountId: number;
  readonly record: Listed<T>;
  readonly others: readonly Listed<T>[];
}

function twinOf<T extends ListedTable>({ others }: Found<T>, name = ''): Listed<T> | undefined {
  return others.find((other) => foldName(other.name) === foldName(name));
}

function alreadyThere(
  kind: Kind<ListedTable>,
  slug: string,
  twin: Listed<ListedTable>,
  record: Listed<ListedTable>,
): Failure {
  const shifts = count(record.shifts, 'shift', 'shifts');
  return new Failure(
    `Nothing was changed: ${slug} has ${nameOf(kind, twin)}, already, and two of one name would share one personal link. ` +
      `If both are the same ${kind.noun}, --merge gives ${shifts} of ${record.name} to ${twin.name}; otherwise give another name.`,
  );
}

function nobodyToMerge({ noun }: Kind<ListedTable>, slug: string, name = ''): Failure {
  return new Failure(`Nothing was changed: ${slug} has no other ${noun} named ${quote(name)} to merge with.`);
}

async function mergeInto<T extends ListedTable>(
  store: Store,
  kind: Kind<T>,
  slug: string,
  { accountId, record }: Found<T>,
  twin: Listed<T>,
  json: boolean | undefined,
): Promise<void> {
  const shifts = await store.merge(kind.records, accountId, record.id, twin.id);
  // Somebody else may have removed one of them meanwhile.
  if (shifts === undefined) throw unknownRecord(kind, slug, String(record.id));
  if (json) return printJson({ ...twin, shifts: twin.shifts + shifts });
  const given =
    shifts === 0 ? 'had no shifts' : `gave ${count(shifts, 'shift', 'shifts')} to ${nameOf(kind, twin)},`;
  print(`${slug}: ${nameOf(kind, record)}, ${given} and is removed.`);
  print(oldNameReturns(kind, record));
}

function oldNameReturns({ noun }: Kind<ListedTable>, { name }: Listed<ListedTable>): string {
  return `A sheet that still says ${name} would make a new ${noun}: change that before the next import.`;
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction', style: 'long' })
    .format(words)
    .replace(', or', ' or');
}

function removeCommand<T extends ListedTable>(kind: Kind<T>): Command {
  const { noun } = kind;
  const example = `shiftfeed ${noun} remove acme ${kind.example.id}`;
  const command = commandOnRecord('remove', noun, kind.removeDescription);
  command.option('--yes', `remove the ${noun} without asking`);
  return addCommonOptions(command, example, `${example} --yes`).action(
    (slug: string, idOrName: string, options: RemoveOptions) => remove(kind, slug, idOrName, options),
  );
}

function commandOnRecord(name: string, noun: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<slug>', 'the account')
    .argument('<id-or-name>', `the id of the ${noun} in the list, or its name`);
}

interface RemoveOptions extends CommonOptions {
  readonly yes?: boolean;
}

async function remove<T extends ListedTable>(
  kind: Kind<T>,
  slug: string,
  idOrName: string,
  { database, json, yes }: RemoveOptions,
): Promise<void> {
  await withStore(database, { missing: 'fail' }, async (store) => {
    const found = await lookUp(store, kind, slug, idOrName);
    if (found === undefined) return forget(store, kind, slug, idOrName, yes, json);
    const { accountId, record } = found;
    const isNeeded = kind.withoutIt === undefined && record.shifts > 0;
    if (isNeeded) throw neededByShifts(kind, slug, record);
    if (!yes) await ask(kind, slug, record);
    // Somebody else may have removed it meanwhile, or given it shifts.
    const removal = await store.remove(kind.records, accountId, record.id);
    if (removal === undefined) throw unknownRecord(kind, slug, idOrName);
    const removed = { ...record, shifts: removal.shifts };
    if (!removal.isRemoved) throw neededByShifts(kind, slug, removed);
    if (json) return printJson(removed);
    print(`${slug}: ${nameOf(kind, record)}, is removed.${outcome(kind, removal.shifts)}`);
  });
}

/** What an import has removed or renamed may still be kept, for an undo. */
async function forget<T extends ListedTable>(
  store: Store,
  kind: Kind<T>,
  slug: string,
  idOrName: string,
  yes: boolean | undefined,
  json: boolean | undefined,
): Promise<void> {
  const { id: accountId } = await needAccount(store, slug);
  const record = await store.findReplaced(
    kind.records,
    accountId,
    ({ id, name }) => String(id) === idOrName || foldName(name) === foldName(idOrName),
  );
  if (record === undefined) throw unknownRecord(kind, slug, idOrName);
  const removed: Listed<ListedTable> = { ...record, shifts: 0 };
  const state = `${nameOf(kind, removed)}, is kept only so that the last import can be taken back, which would not be possible any more`;
  if (!yes) await confirmRemoval(`the ${kind.noun}`, state, `${slug}: ${state}`);
  await store.forgetReplaced(accountId);
  if (json) return printJson(removed);
  print(`${slug}: ${nameOf(kind, removed)}, is forgotten. The last import cannot be taken back any more.`);
}

async function ask(kind: Kind<ListedTable>, slug: string, record: Listed<ListedTable>): Promise<void> {
  const shifts = record.shifts === 0 ? 'no shifts' : count(record.shifts, 'shift', 'shifts');
  const fate = record.shifts === 0 ? '' : `, which would then be ${kind.withoutIt}`;
  const state = `${nameOf(kind, record)}, has ${shifts}${fate}`;
  await confirmRemoval(`the ${kind.noun}`, state, `${slug}: ${state}`);
}

function neededByShifts(kind: Kind<ListedTable>, slug: string, record: Listed<ListedTable>): Failure {
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

async function findRecord<T extends ListedTable>(
  store: Store,
  kind: Kind<T>,
  slug: string,
  idOrName: string,
): Promise<Found<T>> {
  const found = await lookUp(store, kind, slug, idOrName);
  if (found === undefined) throw unknownRecord(kind, slug, idOrName);
  return found;
}

/** The record of an account with this id or, if there is none, the only one with this name, as imports find names. */
async function lookUp<T extends ListedTable>(
  store: Store,
  kind: Kind<T>,
  slug: string,
  idOrName: string,
): Promise<Found<T> | undefined> {
  const { id: accountId } = await needAccount(store, slug);
  const records = await store.list(kind.records, accountId);
  const found = [
    records.filter(({ id }) => String(id) === idOrName),
    records.filter(({ name }) => name === idOrName),
    records.filter(({ name }) => foldName(name) === foldName(idOrName)),
  ].find(({ length }) => length > 0);
  const [record, ...more] = found ?? [];
  if (record === undefined) return undefined;
  if (more.length > 0) {
    const ids = [record, ...more].map(({ id }) => id).join(', ');
    throw new Failure(
      `${slug} has ${more.length + 1} ${kind.records} named ${quote(idOrName)}: give the id of one, ${ids}.`,
    );
  }
  return { accountId, record, others: records.filter((other) => other !== record) };
}

function unknownRecord({ noun }: Kind<ListedTable>, slug: string, idOrName: string): Failure {
  const shown = /^\d+$/.test(idOrName) ? idOrName : quote(idOrName);
  return new Failure(`${slug} has no ${noun} ${shown}: "shiftfeed ${noun} list ${slug}" shows the ids.`);
}
