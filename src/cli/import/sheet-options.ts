/** The options that say how a sheet is read. */

import type { Command } from 'commander';
import { integerBetween, parseBoolean, parseName, parseTimeZone } from '../options.ts';
import {
  parseCodes,
  parseColumnList,
  parseColumns,
  parseEncoding,
  parseFormatOfDates,
  parseHeadings,
  YEARS,
} from './options.ts';
import { parseDayOrToday } from './today.ts';

export function addSheetOptions(command: Command): Command {
  return command
    .option(
      '--columns <pairs>',
      'sheets: what the sheet calls columns, such as date=Datum,group=Ploeg',
      parseColumns,
    )
    .option('--ignore-columns <headings>', 'sheets: columns of the sheet that are not read', parseHeadings)
    .option(
      '--date-format <pattern>',
      'sheets: how dates are written, such as DD-MM-YYYY',
      parseFormatOfDates,
    )
    .option('--encoding <label>', 'sheets: how characters are written, such as windows-1252', parseEncoding)
    .option(
      '--fill-down <columns>',
      'sheets: columns whose empty cells are as the one above',
      parseColumnList,
    )
    .option('--sheet <name|number|all>', 'sheets: which one of a workbook is read, or all with shifts')
    .option(
      '--year <year>',
      'sheets: the year of dates that lack it, as in a roster',
      integerBetween(...YEARS),
    )
    .option(
      '--codes <pairs>',
      'sheets: what stands for times in a roster, such as E=06:00-14:00,off=',
      parseCodes,
    )
    .option('--group <name>', 'sheets: the group of rows that have none', parseName)
    .option(
      '--published-from <date|today>',
      'sheets: the publish date of rows that have none',
      parseDayOrToday,
    )
    .option('--time-zone <zone>', 'sheets: the IANA time zone of the account', parseTimeZone)
    .option('--premium <true|false>', 'sheets: whether tokens of the account are live', parseBoolean)
    .option('--recipe <file>', 'sheets: read options from a JSON file; those given here win')
    .option('--save-recipe <file>', 'sheets: write the options into such a file, for the next time');
}
