/**
 * Account → text, piece by piece, so that it need not be in memory as a whole. Everything is in the order of ids: two
 * exports of the same data are the same bytes.
 */

import type { AccountReading } from '../store/admin/export.ts';
import { csvOf } from './csv.ts';
import { jsonOf } from './json.ts';
import type { NoticeTeller } from './references.ts';

export const EXPORT_FORMATS = ['json', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export function exportAccount(
  reading: AccountReading,
  format: ExportFormat,
  tell: NoticeTeller,
): AsyncIterable<string> {
  return format === 'json' ? jsonOf(reading, tell) : csvOf(reading, tell);
}
