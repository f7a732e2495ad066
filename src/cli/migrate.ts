import { Command } from 'commander';
import { describeDatabase } from '../store/open.ts';
import type { SchemaChange } from '../store/schema-version.ts';
import { addCommonOptions, type CommonOptions, withStore } from './options.ts';
import { print, printJson } from './print.ts';

export function migrateCommand(): Command {
  const command = new Command('migrate')
    .summary('Bring the schema of the database up to date.')
    .description(
      'Brings the schema of the database up to date, or makes it, and says what it did. Servers go on reading meanwhile, ' +
        'also those of the version before. "serve" and all commands that write do the same by themselves.',
    );
  return addCommonOptions(
    command,
    'shiftfeed migrate --database postgres://shiftfeed@db.example/shiftfeed',
  ).action(run);
}

async function run({ database, json }: CommonOptions): Promise<void> {
  let change: SchemaChange | undefined;
  const onMigrated = (made: SchemaChange) => {
    change = made;
  };
  await withStore(database, { missing: 'create', onMigrated }, async () => undefined);
  const name = describeDatabase(database);
  if (json) printJson({ database: name, migrated: change ?? null });
  else print(`${name}: ${describe(change)}`);
}

function describe(change: SchemaChange | undefined): string {
  if (change === undefined) return 'the schema is up to date, nothing to do';
  const { from, to } = change;
  return from === 0 ? `new, made with schema ${to}` : `schema ${from} → ${to}`;
}
