/** The packages of the kit beside the real React, Vue and Svelte, and with the types of older Nodes. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { connectBrowser, hasBrowser, watchPage } from '../support/browser.ts';
import { newFolder } from '../support/database.ts';
import { installFromRegistry } from '../support/from-registry.ts';
import { installKit } from './kit.ts';

const run = promisify(execFile);

const PACKAGES = [
  ...['react@19', 'react-dom@19', '@types/react@19'],
  ...['vue@3', 'vue-tsc@3', 'svelte@5', 'svelte-check@4', 'typescript@5'],
  ...[20, 22, 24].map((version) => `node${version}@npm:@types/node@${version}`),
];

const project = await newFolder({ after });
await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }));
const missing = await installFromRegistry(project, PACKAGES);
await installKit(project);

const frameworkTest = (name: string, body: (context: TestContext) => Promise<void>) =>
  test(name, missing === undefined ? {} : { skip: missing }, body);

/** What a page and the server that renders it have in common. */
const APP = `
  import { createElement, StrictMode, useRef, useState } from 'react';
  import { ShiftCalendar } from '@shiftfeed/calendar/react';

  export const asked = [];
  async function source({ from }) {
    asked.push(from);
    return { time_zone: 'Europe/Amsterdam', shifts: [shift(2, 'Bar')] };
  }
  export const shift = (id, name) => ({
    id, date: '2026-11-15', start_time: '09:00', end_time: '17:00', end_date: '2026-11-15', group: { id, name },
  });

  export function App() {
    const [told, tell] = useState([]);
    const [view, setView] = useState('week');
    const calendar = useRef(null);
    const add = (words) => tell((before) => [...before, words]);
    return createElement(StrictMode, null,
      createElement(ShiftCalendar, {
        id: 'kitchen', className: 'wide', src: '/kitchen/shifts', groupIds: '1', date: '2026-11-15',
        onShiftSelect: ({ detail }) => add('chosen ' + detail.group.name),
      }, createElement('p', null, 'Until there are shifts.')),
      createElement(ShiftCalendar, {
        id: 'bar', ref: calendar, source, view, date: '2026-11-15',
        onNavigate: ({ detail }) => add(detail.view + ' ' + detail.date),
      }),
      createElement('button', { id: 'month', onClick: () => setView('month') }),
      createElement('button', { id: 'none', onClick: () => setView(undefined) }),
      createElement('button', { id: 'again', onClick: () => calendar.current.refresh() }),
      createElement('output', null, told.join(', ')),
    );
  }`;

const STARTS = {
  'takes over what a server rendered': 'hydrateRoot(root, createElement(App))',
  'makes the page': 'createRoot(root).render(createElement(App))',
};

for (const [way, start] of Object.entries(STARTS)) {
  frameworkTest(`the component tells React what happens, where React ${way}`, async (context) => {
    if (!hasBrowser()) return context.skip(process.env.TEST_NO_BROWSER);
    const rendered = start.startsWith('hydrate') ? await renderedByServer() : '';
    const { page, complaints } = await openApp(context, rendered, start);
    await page.locator('#kitchen [part~="shift"]', { hasText: 'Kitchen' }).click();
    await page.locator('output', { hasText: /^chosen Kitchen$/ }).waitFor();
    await page.locator('#bar [part~="shift"]', { hasText: 'Bar' }).waitFor();
    await page.locator('#bar [part~="next"]').click();
    await page.locator('output', { hasText: /^chosen Kitchen, week 2026-11-22$/ }).waitFor();

    const askedOnce = await page.evaluate('asked.length');
    await page.click('#again');
    await page.waitForFunction(`asked.length > ${askedOnce}`);
    await page.click('#month');
    await page.locator('#bar [part~="month"]').waitFor();
    await page.click('#none');
    await page.locator('#bar [part~="list"]').waitFor({ state: 'attached' });
    assert.equal(await page.evaluate('document.querySelector("#bar").hasAttribute("view")'), false);
    assertNoComplaints(complaints);
  });
}

frameworkTest('a server renders attributes and what stands between the tags, and no function', async () => {
  const html = await renderedByServer();
  const kitchen =
    '<shift-calendar id="kitchen" class="wide" src="/kitchen/shifts" group-ids="1" date="2026-11-15">' +
    '<p>Until there are shifts.</p></shift-calendar>';
  const bar = '<shift-calendar id="bar" view="week" date="2026-11-15"></shift-calendar>';
  assert.ok(html.startsWith(kitchen + bar), html);
});

async function renderedByServer(): Promise<string> {
  await writeFile(join(project, 'app.js'), APP);
  const require = createRequire(join(project, 'app.js'));
  const { renderToString } = require('react-dom/server');
  const { createElement } = require('react');
  const { App } = await import(join(project, 'app.js'));
  return renderToString(createElement(App));
}

frameworkTest('Vue hands listeners and functions to an element that a server rendered', async (context) => {
  if (!hasBrowser()) return context.skip(process.env.TEST_NO_BROWSER);
  const file = join(project, 'vue-app.js');
  await writeFile(
    file,
    `import { createSSRApp, h, ref } from 'vue';
     import '@shiftfeed/calendar/vue';
     import { shift } from './app.js';
     const told = ref('');
     const source = () => ({ time_zone: 'Europe/Amsterdam', shifts: [shift(2, 'Bar')] });
     const onShiftSelect = ({ detail }) => { told.value = 'chosen ' + detail.group.name; };
     export const app = createSSRApp({
       render: () => [h('shift-calendar', { source, onShiftSelect, date: '2026-11-15' }), h('output', told.value)],
     });`,
  );
  await writeFile(join(project, 'app.js'), APP);
  const { renderToString } = createRequire(file)('vue/server-renderer');
  const rendered = await renderToString((await import(file)).app);
  const { page, complaints } = await openPage(
    context,
    rendered,
    `import { app } from './vue-app.js'; app.mount('main');`,
  );
  await page.locator('shift-calendar [part~="shift"]', { hasText: 'Bar' }).click();
  await page.locator('output', { hasText: /^chosen Bar$/ }).waitFor();
  assertNoComplaints(complaints);
});

/** Lets React start on what a server rendered, if anything. */
function openApp(context: TestContext, rendered: string, start: string) {
  return openPage(
    context,
    rendered,
    `import { createElement } from 'react';
     import { createRoot, hydrateRoot } from 'react-dom/client';
     import { App, asked } from './app.js';
     Object.assign(globalThis, { asked });
     const root = document.querySelector('main');
     ${start};`,
  );
}

/** What frameworks advise on pages for development is none. */
function assertNoComplaints(complaints: readonly string[]): void {
  const advice = /React DevTools|^Feature flags .* Vue|development build of Vue/;
  assert.deepEqual(
    complaints.filter((complaint) => !advice.test(complaint)),
    [],
  );
}

async function openPage(context: TestContext, rendered: string, entry: string) {
  await writeFile(join(project, 'app.js'), APP);
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: project },
    bundle: true,
    format: 'esm',
    write: false,
    // Of React, too, which then tells mistakes.
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  const browser = await connectBrowser(context);
  const page: Page = await browser.newPage({ timezoneId: 'Europe/Amsterdam' });
  await page.clock.setFixedTime('2026-11-15T12:00:00Z');
  const watched = watchPage(page);
  const { shift } = await import(join(project, 'app.js'));
  const answers: Record<string, { contentType: string; body: string }> = {
    '/': {
      contentType: 'text/html',
      body: `<!doctype html><link rel="icon" href="data:,"><main>${rendered}</main><script type="module" src="app.js"></script>`,
    },
    '/app.js': { contentType: 'text/javascript', body: outputFiles[0]?.text ?? '' },
    '/kitchen/shifts': {
      contentType: 'application/json',
      body: JSON.stringify({ time_zone: 'Europe/Amsterdam', shifts: [shift(1, 'Kitchen'), shift(2, 'Bar')] }),
    },
  };
  await page.route('https://site.example/**', (route) =>
    route.fulfill(answers[new URL(route.request().url()).pathname] ?? { status: 404 }),
  );
  await page.goto('https://site.example/');
  return { page, complaints: watched.complaints };
}

const OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
};

/** A script of TypeScript, for templates. */
const SETUP = (framework: string) => `
  import type { Shift, ShiftSource } from '@shiftfeed/calendar/${framework}';
  import '@shiftfeed/calendar/${framework}';
  const source: ShiftSource = async ({ from }) => ({ title: from, shifts: [] });
  const show = (shift: Shift) => shift.date.trim();`;

frameworkTest('templates of Vue know the element, its attributes and its events', async () => {
  const template = (attributes: string) =>
    `<script setup lang="ts">${SETUP('vue')}</script>
     <template><shift-calendar id="a" class="b" src="/a" group-ids="1" :source="source" ${attributes}
       @shift-select="show($event.detail)" @shift-calendar-navigate="({ detail }) => detail.date.trim()" /></template>`;
  const settings = {
    compilerOptions: { ...OPTIONS, jsx: 'preserve', skipLibCheck: true },
    files: ['App.vue'],
    vueCompilerOptions: { strictTemplates: true },
  };
  const check = async (attributes: string) => {
    await writeFile(join(project, 'App.vue'), template(attributes));
    await writeFile(join(project, 'vue.json'), JSON.stringify(settings));
    return outputOf('vue-tsc/bin/vue-tsc.js', '--project', 'vue.json');
  };
  assert.equal(await check('view="week"'), '');
  assert.match(await check('view="year"'), /^App\.vue.*"year"' is not assignable/);
  assert.match(await check('groups="1"'), /^App\.vue.*'groups' does not exist/);
});

frameworkTest('Svelte knows the element, its attributes and its events', async () => {
  const settings = { compilerOptions: OPTIONS, include: ['App.svelte'] };
  const check = async (attributes: string) => {
    await writeFile(
      join(project, 'App.svelte'),
      `<script lang="ts">${SETUP('svelte')}</script>
       <shift-calendar id="a" class="b" src="/a" group-ids="1" {source} ${attributes}
         onshift-select={({ detail }) => show(detail)}
         onshift-calendar-navigate={({ detail }) => detail.date.trim()}></shift-calendar>`,
    );
    await writeFile(join(project, 'svelte.json'), JSON.stringify(settings));
    return outputOf('svelte-check/bin/svelte-check', '--tsconfig', './svelte.json', '--output', 'machine');
  };
  assert.match(await check('view="week"'), / 0 ERRORS 0 WARNINGS/);
  assert.match(await check('view="year"'), /"App\.svelte" .*\\"year\\"' is not assignable/);
  assert.match(await check('groups="1"'), /"App\.svelte" .*'\\"groups\\"' does not exist/);
});

const SERVER = `
  import { browserFiles } from '@shiftfeed/calendar/browser-files';
  import { type Shift, ShiftfeedClient } from '@shiftfeed/client';
  import { createGateway, gzip, openGateway, openLinkList, type PublicShift } from '@shiftfeed/gateway';

  const config = { upstream: 'https://shifts.example.org/acme', feeds: { kitchen: { group_ids: [1] } } };
  const gateway = createGateway({ config, token: 'x', compressors: { gzip }, scripts: browserFiles() });
  export const GET = (request: Request): Promise<Response> => gateway(request);
  export const client = new ShiftfeedClient({ url: 'https://shifts.example.org/acme', token: 'x' });
  export const dateOf = (shift: Shift | PublicShift): string => shift.date;
  export { openGateway, openLinkList };`;

for (const version of [20, 22, 24]) {
  frameworkTest(`a server needs the types of Node ${version}, and none of browsers`, async () => {
    await mkdir(join(project, `types${version}`));
    await symlink(join(project, `node_modules/node${version}`), join(project, `types${version}/node`));
    const settings = {
      module: 'nodenext',
      moduleResolution: 'nodenext',
      lib: ['es2023'],
      types: ['node'],
      typeRoots: [`types${version}`],
    };
    assert.equal(await compiled(`server${version}`, SERVER, settings), '');
  });
}

frameworkTest('a compiler that does not know "exports" finds every entry', async () => {
  const imports = `import type { Shift } from '@shiftfeed/calendar';
    import type { ShiftCalendarProps } from '@shiftfeed/calendar/react';
    import type { PublicShift } from '@shiftfeed/gateway';
    import { browserFiles } from '@shiftfeed/calendar/browser-files';
    import { ShiftfeedClient } from '@shiftfeed/client';
    export type All = [Shift, ShiftCalendarProps, PublicShift];
    export const both = [browserFiles, ShiftfeedClient];`;
  assert.equal(await compiled('old', imports, { moduleResolution: 'node' }), '');
});

/** What TypeScript 5 says of a module. */
async function compiled(name: string, text: string, settings: object): Promise<string> {
  await writeFile(join(project, `${name}.ts`), text);
  await writeFile(
    join(project, `${name}.json`),
    JSON.stringify({ compilerOptions: { ...OPTIONS, ...settings }, files: [`${name}.ts`] }),
  );
  return outputOf('typescript/bin/tsc', '--project', `${name}.json`);
}

/** What a program of an installed package prints, whether it fails or not. */
async function outputOf(program: string, ...words: string[]): Promise<string> {
  const file = join(project, 'node_modules', program);
  const { stdout } = await run(process.execPath, [file, ...words], { cwd: project }).catch((error) => error);
  return stdout;
}
