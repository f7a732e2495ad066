/** `group`, `location` and `person`: what an account has besides shifts. All three are listed, changed and removed alike. */

import { foldName } from '@shiftfeed/common/names';
import { count, onOneLine, quote } from '@shiftfeed/common/quote';
import { Command, Option } from 'commander';
import type { Changes, Listed, ListedTable } from '../store/admin/records.ts';
import type { RecordOf } from '../store/records.ts';
import type { Store } from '../store/store.ts';
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
import { confirmRemoval, print, printJson, table } from './print.ts';

type AnyRecord = Listed<ListedTable>;

/** What the commands need to know of groups, of locations or of people. */
interface Kind<T extends ListedTable = ListedTable> {
  /** Their table. Its name is also what several of them are called. */
  readonly records: T;
  /** What one of them is called, which is also the name of its command. */
  readonly noun: string;
  /** Whether the name tells one from another, so that two of the same name would be taken for one. */
  readonly isKnownByName?: boolean;
  /** What shifts are called after one of them was removed. Shifts cannot be without one if it is left out. */
  readonly withoutIt?: string;
  /** What is listed, and can be set. */
  readonly fields: readonly (keyof typeof FIELDS)[];
  /** What a record is like after `set`, as the end of a sentence. */
  describe(record: RecordOf<T>): string;
  readonly setDescription: string;
  readonly removeDescription: string;
  /** Which one examples are about, and what they set. */
  readonly example: { readonly id: number; readonly change: string };
}

/** The option of `set` for each field. */
const FIELDS = {
  name: () => new Option('--name <text>', 'its name').argParser(parseName),
  active: () => new Option('--active <true|false>', 'whether its shifts are listed').argParser(parseBoolean),
  private: () =>
    new Option(
      '--private <true|false>',
      'whether it is marked as private; it is listed all the same',
    ).argParser(parseBoolean),
  address: () => new Option('--address <text>', 'its address; "" for none').argParser(parseAddress),
};

const KINDS: { readonly [T in ListedTable]: Kind<T> } = {
  groups: {
    records: 'groups',
    noun: 'group',
    fields: ['name', 'active', 'private'],
    describe({ name, active, private: isPrivate }) {
      const shown = active ? 'active' : 'not active, so its shifts are not listed';
      return `${name}, ${isPrivate ? 'private' : 'not private'}, ${shown}`;
    },
    setDescription:
      'Change a group; what is left out stays. Shifts of a group that is not active are not listed.',
    removeDescription: 'Remove a group that no shift has, after asking. A shift needs a group.',
    example: { id: 3, change: '--active false' },
  },
  locations: {
    records: 'locations',
    noun: 'location',
    withoutIt: 'without a location',
    fields: ['name', 'address'],
    describe: ({ name, address }) => `${name}, ${address === '' ? 'without an address' : onOneLine(address)}`,
    setDescription: 'Change a location; what is left out stays.',
    removeDescription: 'Remove a location, after asking. Its shifts stay, without a location.',
    example: { id: 7, change: '--name Pier' },
  },
  people: {
    records: 'people',
    noun: 'person',
    isKnownByName: true,
    withoutIt: 'open',
    fields: ['name'],
    describe: ({ name }) => name,
    setDescription:
      'Change the name of a person. With --merge, the name may be that of another person, who gets the shifts.',
    removeDescription: 'Remove a person, after asking. The shifts stay, as open ones.',
    example: { id: 3, change: '--name Noor' },
  },
};

export function recordsCommand(records: ListedTable): Command {
  const kind: Kind = KINDS[records];
  const { noun } = kind;
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

function listCommand({ noun, records, fields }: Kind): Command {
  const command = new Command('list')
    .description(`List the ${records} of an account, with the number of shifts of each.`)
    .argument('<slug>', 'the account');
  const example = `shiftfeed ${noun} list acme`;
  return addCommonOptions(command, example).action(async (slug: string, options: CommonOptions) => {
    const found = await withStore(options.database, { missing: 'fail', readOnly: true }, async (store) =>
      store.list(records, (await needAccount(store, slug)).id),
    );
    if (options.json) return printJson(found);
    if (found.length === 0) return print(`${slug} has no ${records}.`);
    const rows = found.map((record) => [record.id, ...cellsOf({ ...record }, fields), record.shifts]);
    print(table([['ID', ...fields.map((field) => field.toUpperCase()), 'SHIFTS'], ...rows]));
  });
}

function cellsOf(record: Readonly<Record<string, string | number | boolean>>, fields: readonly string[]) {
  return fields.map((field) => {
    const value = record[field] ?? '';
    return typeof value === 'boolean' ? (value ? 'yes' : 'no') : value;
  });
}

function setCommand(kind: Kind): Command {
  const { noun, fields, example } = kind;
  const command = commandOnRecord('set', noun, kind.setDescription);
  for (const field of fields) command.addOption(FIELDS[field]());
  if (kind.isKnownByName)
    command.option('--merge', 'give the shifts to the person who has that name already');
  return addCommonOptions(command, `shiftfeed ${noun} set acme ${example.id} ${example.change}`).action(
    async (slug: string, idOrName: string, { database, json, merge, ...given }: SetOptions) => {
      const named = Object.entries(given).filter(([name]) => fields.some((field) => field === name));
      const changes: Changes<ListedTable> = Object.fromEntries(named);
      if (named.length === 0)
        command.error(`error: nothing to set: give ${listed(fields.map((field) => `--${field}`))}`);
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

interface Found {
  readonly accountId: number;
  readonly record: AnyRecord;
  readonly others: readonly AnyRecord[];
}

function twinOf({ others }: Found, name = ''): AnyRecord | undefined {
  return others.find((other) => foldName(other.name) === foldName(name));
}

function alreadyThere(kind: Kind, slug: string, twin: AnyRecord, record: AnyRecord): Failure {
  const shifts = count(record.shifts, 'shift', 'shifts');
  return new Failure(
    `Nothing was changed: ${slug} has ${nameOf(kind, twin)}, already, and two of one name would share one personal link. ` +
      `If both are the same ${kind.noun}, --merge gives ${shifts} of ${record.name} to ${twin.name}; otherwise give another name.`,
  );
}

function nobodyToMerge({ noun }: Kind, slug: string, name = ''): Failure {
  return new Failure(`Nothing was changed: ${slug} has no other ${noun} named ${quote(name)} to merge with.`);
}

async function mergeInto(
  store: Store,
  kind: Kind,
  slug: string,
  { accountId, record }: Found,
  twin: AnyRecord,
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

function oldNameReturns({ noun }: Kind, { name }: AnyRecord): string {
  return `A sheet that still says ${name} would make a new ${noun}: change that before the next import.`;
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction', style: 'long' })
    .format(words)
    .replace(', or', ' or');
}

function removeCommand(kind: Kind): Command {
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

async function remove(
  kind: Kind,
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
async function forget(
  store: Store,
  kind: Kind,
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
  const removed: AnyRecord = { ...record, shifts: 0 };
  const state = `${nameOf(kind, removed)}, is kept only so that the last import can be taken back, which would not be possible any more`;
  if (!yes) await confirmRemoval(`the ${kind.noun}`, state, `${slug}: ${state}`);
  await store.forgetReplaced(accountId, record.name);
  if (json) return printJson(removed);
  print(`${slug}: ${nameOf(kind, removed)}, is forgotten. The last import cannot be taken back any more.`);
}

async function ask(kind: Kind, slug: string, record: AnyRecord): Promise<void> {
  const shifts = record.shifts === 0 ? 'no shifts' : count(record.shifts, 'shift', 'shifts');
  const fate = record.shifts === 0 ? '' : `, which would then be ${kind.withoutIt}`;
  const state = `${nameOf(kind, record)}, has ${shifts}${fate}`;
  await confirmRemoval(`the ${kind.noun}`, state, `${slug}: ${state}`);
}

function neededByShifts(kind: Kind, slug: string, record: AnyRecord): Failure {
  const need = `${count(record.shifts, 'shift needs', 'shifts need')} ${nameOf(kind, record)}`;
  const [them, hide] = record.shifts === 1 ? ['it', 'hide it'] : ['them', 'hide them'];
  return new Failure(
    `Nothing was removed: ${need}. Import ${them} with another group first, ` +
      `or ${hide} with "shiftfeed group set ${slug} ${record.id} --active false".`,
  );
}

function outcome(kind: Kind, shifts: number): string {
  if (kind.withoutIt === undefined) return '';
  return shifts === 0
    ? ' No shift was changed.'
    : ` ${count(shifts, 'shift is', 'shifts are')} now ${kind.withoutIt}.`;
}

function nameOf(kind: Kind, { id, name }: AnyRecord): string {
  return `${kind.noun} ${id}, ${name}`;
}

async function findRecord(store: Store, kind: Kind, slug: string, idOrName: string): Promise<Found> {
  const found = await lookUp(store, kind, slug, idOrName);
  if (found === undefined) throw unknownRecord(kind, slug, idOrName);
  return found;
}

/** The record of an account with this id or, if there is none, the only one with this name, as imports find names. */
async function lookUp(store: Store, kind: Kind, slug: string, idOrName: string): Promise<Found | undefined> {
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

function unknownRecord({ noun }: Kind, slug: string, idOrName: string): Failure {
  const shown = /^\d+$/.test(idOrName) ? idOrName : quote(idOrName);
  return new Failure(`${slug} has no ${noun} ${shown}: "shiftfeed ${noun} list ${slug}" shows the ids.`);
}
