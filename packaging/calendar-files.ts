/**
 * The calendar's scripts, ready for browsers: one that a site can copy or load from a CDN, and those that a server gives
 * beside each other, as texts within a module; and what editors want to know. Who installs the package needs nothing to make or find them.
 */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SCRIPTS, wholeScript } from '../kit/calendar/build/scripts.ts';

export async function writeCalendarFiles(folder: string): Promise<void> {
  await mkdir(join(folder, 'browser'), { recursive: true });
  await writeFile(join(folder, 'browser/shift-calendar.js'), wholeScript());
  const manifest = customElementsManifest(await readFile(join(folder, 'README.md'), 'utf8'));
  await writeFile(join(folder, 'browser/custom-elements.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const module = join(folder, 'build/scripts');
  await writeFile(`${module}.js`, `export const SCRIPTS = ${JSON.stringify(SCRIPTS, null, 2)};\n`);
  await writeFile(`${module}.d.ts`, 'export declare const SCRIPTS: Readonly<Record<string, string>>;\n');
  await rm(`${module}.js.map`);
}

/**
 * The manual of `<shift-calendar>` as editors read it, in the format "custom elements manifest". Tests hold what the tables
 * of the manual name, so that this follows from them.
 */
function customElementsManifest(manual: string): object {
  const attributes = rowsOf(manual, 'Attributes').map(([name, description]) => ({
    name,
    description,
    type: { text: 'string' },
  }));
  const events = rowsOf(manual, 'Events').map(([name, description]) => ({
    name,
    description,
    type: { text: 'CustomEvent' },
  }));
  const cssProperties = rowsOf(manual, 'Looks').map(([name, description, value]) => ({
    name,
    description,
    default: value,
  }));
  const declaration = { name: 'ShiftCalendar', module: MODULE };
  return {
    schemaVersion: '1.0.0',
    readme: 'README.md',
    modules: [
      {
        kind: 'javascript-module',
        path: MODULE,
        declarations: [
          {
            kind: 'class',
            name: 'ShiftCalendar',
            tagName: 'shift-calendar',
            customElement: true,
            superclass: { name: 'HTMLElement' },
            attributes,
            events,
            cssProperties,
            cssParts: partsOf(manual).map((name) => ({ name })),
          },
        ],
        exports: [
          { kind: 'js', name: 'ShiftCalendar', declaration },
          { kind: 'custom-element-definition', name: 'shift-calendar', declaration },
        ],
      },
    ],
  };
}

const MODULE = 'src/shift-calendar.js';

/** The cells of the table in a section, without marks. The first cell is a name. */
function rowsOf(manual: string, heading: string): string[][] {
  const rows = sectionOf(manual, heading).match(/^\| `.*\|$/gm) ?? [];
  return rows.map((row) => row.slice(2, -2).split(' | ').map(plain));
}

/** Without those of which there is one for each group. */
function partsOf(manual: string): string[] {
  const [, list = ''] = /^Parts: (.*?)\n\n/ms.exec(sectionOf(manual, 'Looks')) ?? [];
  return [...list.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name);
}

function sectionOf(manual: string, heading: string): string {
  const [, section] = new RegExp(`^## ${heading}$(.*?)^## `, 'ms').exec(manual) ?? [];
  if (section === undefined) throw new Error(`The manual of the calendar has no section "${heading}".`);
  return section;
}

function plain(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
}
