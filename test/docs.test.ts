import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { makeProgram } from '../src/cli/main.ts';
import { PARAMETERS } from '../src/http/parameters.ts';
import { checkDocument } from '../src/import/document.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('CI runs the test command of the README', () => {
  const commands = [...read('README.md').matchAll(/^npm ci && npm .+$/gm)].map(([line]) => line);
  assert.deepEqual(commands, ['npm ci && npm start', 'npm ci && npm test']);
  assert.ok(read('.ci/run').endsWith(`\n${commands[1]}\n`));
});

test('every command and option of the command line is documented, and has an example', () => {
  const manual = read('docs/operating.md');
  for (const command of commandsOf(makeProgram())) {
    for (const { long } of command.options) {
      if (long !== '--version') assert.ok(manual.includes(long as string), `${command.name()} ${long}`);
    }
    const name = [command.parent?.name(), command.name()]
      .filter((part) => part && part !== 'shiftfeed')
      .join(' ');
    assert.ok(manual.includes(name), name);
  }
});

test('every parameter is documented', () => {
  const manual = read('docs/api.md');
  for (const name of Object.keys(PARAMETERS)) assert.match(manual, new RegExp(`^\\| \`${name}\` \\|`, 'm'));
});

test('the import document of the manual can be imported', () => {
  const block = /```json\n([\s\S]+?)```/.exec(read('docs/operating.md'))?.[1];
  const document = checkDocument(JSON.parse(block ?? ''));
  assert.equal(document.shifts.length, 1);
});

test('links between documents lead somewhere', async () => {
  for await (const file of glob(['*.md', 'docs/*.md'], { cwd: ROOT })) {
    for (const [, target = ''] of read(file).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const text = path === '' ? read(file) : read(join(dirname(file), path));
      const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading.toLowerCase().replaceAll(' ', '-'),
      );
      if (anchor !== undefined) assert.ok(headings.includes(anchor), `${file}: ${target}`);
    }
  }
});

function commandsOf(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...commandsOf(child)]);
}
