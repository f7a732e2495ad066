/** Visitors of the gateway a second, beside Fastify sending the same bytes from a fixed buffer. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Field } from '../field.ts';
import { askOnce } from '../load/once.ts';
import { startServer } from '../processes.ts';
import { note } from '../progress.ts';
import { brief, ratio, whole, withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import { compare } from '../rounds.ts';
import { SMALL } from '../settings.ts';

const DAYS_AHEAD = 30;
export const GATEWAY_PATHS = { JSON: '/kitchen/shifts', calendar: '/kitchen/shifts.ics' } as const;

export async function measureGateway(field: Field): Promise<Section> {
  note('Gateway');
  const gateway = await startGateway(field);
  const [json, calendar] = await Promise.all(
    Object.values(GATEWAY_PATHS).map((path) => askOnce({ url: gateway.url + path, headers: {} })),
  );
  assert.ok(json?.status === 200 && calendar?.status === 200);
  const { shifts } = JSON.parse(json.body.toString()) as { shifts: readonly object[] };
  assert.equal(calendar.body.toString().match(/^BEGIN:VEVENT\r$/gm)?.length, shifts.length);
  const { server } = await field.fixed({ json: json.body, calendar: calendar.body });
  const rates = await compare(
    {
      json: { url: gateway.url + GATEWAY_PATHS.JSON, headers: {} },
      fixedJson: { url: `${server.url}/json`, headers: {} },
      calendar: { url: gateway.url + GATEWAY_PATHS.calendar, headers: {} },
      fixedCalendar: { url: `${server.url}/calendar`, headers: {} },
    },
    field.settings.rounds,
  );
  const toFixed = {
    json: ratio(rates.json, rates.fixedJson),
    calendar: ratio(rates.calendar, rates.fixedCalendar),
  };
  return {
    title: 'Visitors of the gateway',
    text: `A feed of ${whole(shifts.length)} shifts, ${DAYS_AHEAD} days of an account of 5,000 a year, as JSON and as a calendar.`,
    tables: [
      {
        columns: ['form', 'bytes', 'gateway, visitors/s', 'fixed buffer', 'to it'],
        rows: [
          [
            'JSON',
            whole(json.body.length),
            withSpread(rates.json),
            withSpread(rates.fixedJson),
            brief(toFixed.json),
          ],
          [
            'calendar',
            whole(calendar.body.length),
            withSpread(rates.calendar),
            withSpread(rates.fixedCalendar),
            brief(toFixed.calendar),
          ],
        ],
      },
    ],
  };
}

export async function startGateway(field: Field) {
  const { slug, token } = field.account(SMALL);
  const upstream = await field.ours(SMALL);
  const config = join(field.folder, 'gateway.json');
  await writeFile(join(field.folder, 'gateway.token'), token, { mode: 0o600 });
  await writeFile(
    config,
    JSON.stringify({
      upstream: `${upstream.url}/${slug}`,
      token_file: 'gateway.token',
      feeds: { kitchen: { group_ids: 'all', days_ahead: DAYS_AHEAD } },
    }),
  );
  return startServer('../bin/shiftfeed.js', ['gateway', config, '--port', '0']);
}
