/** The rules and the dashboard for operators, and the metrics that they and the docs name. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startServer } from '../support/cli.ts';
import { startHere } from '../support/cli-in-process.ts';
import { newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { skipsWithout } from '../support/installed.ts';
import { isLong } from '../support/strength.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy/monitoring');
const rules = await readFile(join(FOLDER, 'alerts.yml'), 'utf8');
const ruleTests = await readFile(join(FOLDER, 'alerts.test.yml'), 'utf8');
const dashboard: Dashboard = JSON.parse(await readFile(join(FOLDER, 'grafana.json'), 'utf8'));
const docs = await readFile(join(ROOT, 'docs/operating.md'), 'utf8');

interface Dashboard {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly Panel[];
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
/** What a service and a gateway tell, and the type of each metric by its name. */
const texts = await readMetrics();
const told = new Map(
  texts
    .flatMap((text) => [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)])
    .map(([, name = '', type = '']) => [name, type]),
);

test('every metric that rules and dashboard name is told by a service, a gateway or a desk', () => {
  for (const [where, text] of Object.entries({ rules, ruleTests, queries: queries.join('\n') })) {
    const named = metricsIn(text);
    assert.ok(named.size > 15, `${where} names few metrics: ${[...named].join(', ')}`);
    const unknown = [...named].filter((name) => !told.has(name.replace(/_bucket$/, '')));
    assert.deepEqual(unknown, [], where);
  }
});

test('every metric of Shiftfeed is documented, and the docs name no other', () => {
  const ours = [...told.keys()].filter((name) => name.startsWith('shiftfeed_'));
  const documented = [...docs.matchAll(/`(shiftfeed_\w+[a-z])`/g)].map(([, name = '']) => name);
  assert.deepEqual([...new Set(documented)].sort(), ours.sort());
});

test('counters end with _total, and nothing else does', () => {
  const misnamed = [...told].filter(([name, type]) => name.endsWith('_total') !== (type === 'counter'));
  assert.deepEqual(misnamed, []);
});

test('every alert says what is wrong and what to do, and is tried', () => {
  const alerts = rules.split(/^ +- alert: /m).slice(1);
  assert.ok(alerts.length > 10);
  for (const alert of alerts) {
    const [name = ''] = alert.split('\n');
    assert.match(alert, /^ +severity: (critical|warning)$/m, name);
    assert.match(alert, /^ +summary: '.+\.'$/m, name);
    assert.match(alert, /^ +description: >-\n +\S/m, name);
    assert.ok(ruleTests.includes(`alertname="${name}", alertstate="firing"`), name);
  }
});

test('the dashboard lets its user choose the source, and its panels stand beside each other', () => {
  assert.ok(dashboard.schemaVersion >= 30);
  const names = dashboard.templating.list.map(({ name }) => name);
  assert.deepEqual(names, ['datasource', 'job', 'instance']);
  const taken = new Map<string, string>();
  for (const { title, type, datasource, targets = [], gridPos } of dashboard.panels) {
    if (type !== 'row') {
      assert.match(datasource?.uid ?? '', /^\$\{datasource\}$/, title);
      assert.ok(targets.length > 0, title);
    }
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (const cell of cellsOf(gridPos)) {
      assert.equal(taken.get(cell), undefined, `${title} covers another panel`);
      taken.set(cell, title);
    }
  }
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
});

if (isLong)
  test('Prometheus understands metrics, rules and queries, and alerts fire when they should', async (t) => {
    if (skipsWithout(t, ['promtool', '--version'], 'prometheus')) return;
    const asRules = queries.map((expr, i) => ({
      record: `query:${i}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    const file = join(await newFolder(t), 'queries.json');
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: asRules }] }));
    const promtool = (words: string, input = '') => {
      const options = { cwd: FOLDER, encoding: 'utf8', input } as const;
      const { status, stdout, stderr } = spawnSync('promtool', words.split(' '), options);
      assert.equal(status, 0, stdout + stderr);
    };
    for (const text of texts) promtool('check metrics', text);
    promtool(`check rules alerts.yml ${file}`);
    promtool('test rules alerts.test.yml');
  });

function metricsIn(text: string): Set<string> {
  return new Set(text.match(/\b(shiftfeed|process|nodejs)_\w+/g));
}

function cellsOf({ x, y, w, h }: Panel['gridPos']): string[] {
  return Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`);
}

async function readMetrics(): Promise<string[]> {
  const { databaseUrl, token } = await filledDatabase({ after }, acme([shift('2026-12-01')]));
  const service = await startServer({ after }, ['--admin-port', '0', '--workers', '2'], { databaseUrl });
  const config = join(await newFolder({ after }), 'gateway.json');
  await writeFile(
    config,
    JSON.stringify({ upstream: `${service.url}/acme`, feeds: { kitchen: { group_ids: 'all' } } }),
  );
  const args = ['gateway', config, '--port', '0', '--admin-port', '0'];
  const gateway = await startHere({ after }, args, { env: { SHIFTFEED_TOKEN: token } });
  const desk = await startHere({ after }, ['desk', '--port', '0', '--admin-port', '0'], { databaseUrl });
  for (const server of [gateway, desk]) await server.nextLine();
  return Promise.all(
    [service, gateway, desk].map(async (server) => {
      const url = /http:\S+/.exec(await server.nextLine())?.[0] ?? '';
      return (await fetch(url)).text();
    }),
  );
}
