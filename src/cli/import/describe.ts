/** What came of an import, as the command prints it. */

import { quote } from '@shiftfeed/common/quote';
import {
  describeKept,
  describeNewNames,
  describeRefusal,
  describeReplaced,
  describeReport,
  describeUnlisted,
  shown,
  TALLIES,
} from '../../import/describe.ts';
import { timeZoneName } from '../../import/fields.ts';
import type { ImportSummary } from '../../import/import.ts';
import { timeOf } from '../../import/refusal.ts';
import { TOKEN_FIELDS, type TokenField, type TokenRecord } from '../../store/admin/tokens.ts';
import { TABLES, type Tally } from '../../store/records.ts';
import type { TokenChange } from '../../store/staging/tokens.ts';
import { table as columnsOf } from '../print.ts';

/** What came of an import, as it is shown at its end, with so many new names of each kind. */
export function describeOutcome(
  summary: ImportSummary,
  dryRun: boolean,
  database: string,
  mostNames?: number,
): string {
  const { slug, account, tables } = summary;
  const outcome = { added: 'is new', changed: 'has new settings', unchanged: 'keeps its settings' }[account];
  const tallies = TABLES.map((name) => tallyOf(name, tables[name]));
  if (summary.tokens !== undefined) tallies.push(tallyOf('tokens', summary.tokens));
  return [
    headline(summary, dryRun, database),
    `The account ${slug} ${outcome}.${summary.isUtcAssumed ? ` ${zoneHint(slug)}` : ''}`,
    ...describeReport(summary),
    ...describeReplaced(summary),
    columnsOf([['', ...TALLIES], ...tallies]),
    ...describeNewNames(summary, mostNames),
    ...describeKept(summary),
    ...describeUnlisted(summary),
    ...describeRefusal(summary),
  ].join('\n');
}

function headline({ sameAsAtMs }: ImportSummary, dryRun: boolean, database: string): string {
  if (dryRun) return `Nothing was written: this is what an import into ${database} would do.`;
  if (sameAsAtMs === undefined) return `Imported into ${database}.`;
  const since = timeOf({ atMs: sameAsAtMs });
  return `Unchanged since ${since}: the file and the options are the same, and nobody has written to the account.`;
}

/** Proposes the time zone of this machine. Where TZ is not one that Node knows, there is none, or one that is no zone. */
function zoneHint(slug: string): string {
  const own = timeZoneName(new Intl.DateTimeFormat().resolvedOptions().timeZone) ?? 'UTC';
  const proposed = own === 'UTC' ? 'Europe/Amsterdam' : own;
  return (
    'It is in UTC, because no time zone was given: ' +
    `"shiftfeed account set ${slug} --time-zone ${proposed}" changes that.`
  );
}

function tallyOf(name: string, tally: Tally): (string | number)[] {
  return [name, ...TALLIES.map((verb) => tally[verb])];
}

/** What would become of a token, for --dry-run --show. One that the copy does not have is revoked. */
export function describeTokenChange({ before, after }: TokenChange): string {
  const head = `token ${headOfToken((before ?? after) as TokenRecord)}`;
  if (before === undefined) return `+ ${head}`;
  if (after === undefined) return `- ${head}`;
  const value = (token: TokenRecord, field: TokenField) => {
    const content = token[field];
    if (typeof content === 'number') return new Date(content).toISOString();
    return content === null ? 'none' : quote(content);
  };
  const differences = TOKEN_FIELDS.filter((field) => before[field] !== after[field]).map(
    (field) => `${field} ${value(before, field)} → ${value(after, field)}`,
  );
  return `~ ${head}: ${differences.join(', ')}`;
}

/** Other programs may have written tokens without a hint. */
function headOfToken({ hint, label }: TokenRecord): string {
  const parts = [hint === '' ? '' : `${shown(hint)}…`, label === '' ? '' : shown(label)];
  return parts.filter((part) => part !== '').join('  ') || 'without a label';
}
