/**
 * The manual of `<shift-calendar>` as editors read it, in the format "custom elements manifest". Tests hold what the tables
 * of the manual name, so that this follows from them.
 */

export function customElementsManifest(manual: string): object {
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
