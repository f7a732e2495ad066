/** What frameworks, editors and compilers are told of the packages of the kit. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../../packaging/packages.ts';
import { newFolder } from '../support/database.ts';
import { installKit } from './kit.ts';

const run = promisify(execFile);

const project = await newFolder({ after });
const modules = join(project, 'node_modules');
// As a run that was killed leaves it behind.
await mkdir(join(project, 'packed/shiftfeed-client.whole/node_modules'), { recursive: true });
await installKit(project);
for (const name of ['@types', 'csstype'])
  await symlink(join(ROOT, 'node_modules', name), join(modules, name));

test('the types of the kit fit a page and a server in TypeScript', async () => {
  await writeFile(
    join(project, 'website.json'),
    JSON.stringify({
      upstream: 'https://shifts.example.org/acme',
      feeds: {
        kitchen: { group_ids: [1], show: ['group', 'open'], cancelled: 'hide', origins: ['*'] },
        bar: { group_ids: 'all', days_ahead: 7 },
      },
    }),
  );
  await writeFile(
    join(project, 'page.tsx'),
    `import { createGateway, gzip } from '@shiftfeed/gateway';
     import { browserFiles } from '@shiftfeed/calendar/browser-files';
     import type { Shift, ShiftCalendar as Element } from '@shiftfeed/calendar';
     import { ShiftCalendar, type ShiftCalendarElement } from '@shiftfeed/calendar/react';
     import { useRef } from 'react';
     import config from './website.json' with { type: 'json' };

     createGateway({ config, token: 'shiftfeed_x', compressors: { gzip }, scripts: browserFiles() });
     // @ts-expect-error: a key is misspelt.
     createGateway({ config: { upstream: '', feeds: { kitchen: { group_id: [1] } } }, token: 'shiftfeed_x' });

     const calendar: Element | null = document.querySelector('shift-calendar');
     calendar?.addEventListener('shift-select', ({ detail }) => detail.location?.name.trim());
     document.addEventListener('shift-calendar-navigate', ({ detail }) => detail.date.trim());

     const show = (shift: Shift) => shift.date.trim();

     export function Page() {
       const ref = useRef<ShiftCalendarElement>(null);
       return <main>
         <ShiftCalendar className="wide" ref={ref} src="/kitchen/shifts" view="month" groupIds="1"
           source={async ({ from, signal }) => ({ title: from, shifts: signal.aborted ? [] : [] })}
           onShiftSelect={(event) => show(event.detail)}
           onNavigate={({ detail }) => detail.view satisfies 'list' | 'week' | 'month' | 'now'}>
           <p>Until there are shifts.</p>
         </ShiftCalendar>
         <shift-calendar className="wide" ref={ref} src="/kitchen/shifts" group-ids="1" />
         {/* @ts-expect-error: there is no such view. */}
         <ShiftCalendar view="year" />
         {/* @ts-expect-error: there is no such attribute. */}
         <ShiftCalendar groups="1" />
         {/* @ts-expect-error: React would lose the function. */}
         <shift-calendar onshift-select={() => {}} />
         {/* @ts-expect-error: this one, too. */}
         <shift-calendar source={() => ({ shifts: [] })} />
       </main>;
     }`,
  );
  const manual = await readFile(join(modules, '@shiftfeed/calendar/README.md'), 'utf8');
  const blocks = [...manual.matchAll(/^```(tsx?)\n(.*?)^```$/gms)].filter(
    ([, , code]) => !code?.includes('preact'),
  );
  assert.equal(blocks.length, 2);
  for (const [, ending, code = ''] of blocks) await writeFile(join(project, `manual.${ending}`), code);
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
    jsx: 'react-jsx',
    resolveJsonModule: true,
    noEmit: true,
  };
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['page.tsx', 'manual.ts', 'manual.tsx'] }),
  );
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler], { cwd: project }).catch((error) => error);
  assert.equal(stdout, '');
});

test('what browsers, bundlers and workers load has nothing of Node in it', async () => {
  for (const module of ['src/shift-calendar', 'src/react', 'build/browser-files', 'build/scripts']) {
    const script = await readFile(join(modules, '@shiftfeed/calendar', `${module}.js`), 'utf8');
    assert.doesNotMatch(script, /\bnode:|\bimport\.meta\b|\bprocess\b|\bBuffer\b/, module);
  }
});

test('the component of React is one for browsers, also where servers render', async () => {
  const script = await readFile(join(modules, '@shiftfeed/calendar/src/react.js'), 'utf8');
  assert.match(script, /^(?:\/\*.*?\*\/\s*)?'use client';\n/s);
});

test('editors are told what the manual says: attributes, events, properties and parts', async () => {
  const file = join(modules, '@shiftfeed/calendar/browser/custom-elements.json');
  const { modules: described } = JSON.parse(await readFile(file, 'utf8'));
  const [{ path, declarations }] = described;
  const [{ tagName, attributes, events, cssProperties, cssParts }] = declarations;
  const { ShiftCalendar } = await import(join(modules, '@shiftfeed/calendar', path));
  const namesOf = (list: readonly { name: string; description?: string }[]) => list.map(({ name }) => name);
  assert.equal(tagName, 'shift-calendar');
  assert.deepEqual(namesOf(attributes).sort(), [...ShiftCalendar.observedAttributes].sort());
  assert.deepEqual(namesOf(events), ['shift-select', 'shift-calendar-navigate']);
  for (const name of ['--shift-calendar-accent', '--shift-calendar-sticky-top'])
    assert.ok(namesOf(cssProperties).includes(name), name);
  for (const name of ['calendar', 'chip-name', 'board-none'])
    assert.ok(namesOf(cssParts).includes(name), name);
  for (const { name, description } of [...attributes, ...events, ...cssProperties])
    assert.match(description, /^[^`|[\]]{3,}$/, name);
});
