/** The way of a change from the desk to visitors: five processes, each of which a shorter test knows. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { browserTest, connectBrowser, watchPage } from '../../support/browser.ts';
import { start, startServer, whenReady } from '../../support/cli.ts';
import { command } from '../../support/cli-in-process.ts';
import { newDatabaseUrl, newFolder } from '../../support/database.ts';
import { acme, shift } from '../../support/document.ts';
import { until } from '../../support/until.ts';

browserTest(
  'what is imported at the desk is on the board and in the calendar, where focus and place stay as they were',
  async (context) => {
    const folder = await newFolder(context);
    const databaseUrl = await newDatabaseUrl(context);
    const today = Temporal.Now.plainDateISO('UTC').toString();
    const file = join(folder, 'plan.json');
    const write = async (name: string) => {
      const people = [{ id: 1, name }];
      const shifts = Array.from({ length: 40 }, (_, i) =>
        shift(Temporal.PlainDate.from(today).add({ days: i }).toString(), {
          id: i + 1,
          start_time: '00:00',
          end_time: '23:59',
          person_id: 1,
        }),
      );
      await writeFile(file, JSON.stringify(acme(shifts, { people })));
    };
    await write('Ada');
    assert.equal((await command(databaseUrl, 'import', file)).code, 0);
    const token =
      /shiftfeed_\S+/.exec((await command(databaseUrl, 'token', 'create', 'acme')).stdout)?.[0] ?? '';
    // Each is a process of its own, as they are where they run.
    const service = await startServer(context, [], { databaseUrl });
    const desk = await whenReady(context, start(['desk', 'acme', '--port', '0'], { databaseUrl }));
    const config = join(folder, 'website.json');
    // Nobody would see the import within an hour if nobody were told.
    const feeds = { kitchen: { group_ids: 'all', show: ['person'], max_age: 3600 } };
    await writeFile(config, JSON.stringify({ upstream: `${service.url}/acme`, feeds }));
    const options = { env: { SHIFTFEED_TOKEN: token } };
    const gateway = await whenReady(context, start(['gateway', config, '--port', '0'], options));
    const browser = await connectBrowser(context);
    const tabs = await Promise.all([browser.newPage(), browser.newPage(), browser.newPage()]);
    const [board, page, planner] = tabs;
    const complaints = tabs.map((tab) => watchPage(tab).complaints);
    await board.goto(`${gateway.url}/kitchen/board`);
    await planner.goto((await desk.nextLine()).replace('Open it: ', ''));
    await write('Grace');
    await planner.getByLabel('Workbook, CSV or JSON file').setInputFiles(file);
    const button = planner.getByRole('button', { name: 'Import', exact: true });
    // What is shown after an import is asked for anew.
    await planner
      .locator('shift-calendar')
      .getByText(/Ada|Grace/)
      .first()
      .waitFor();
    await page.goto(`${gateway.url}/kitchen`);
    await board.locator('[part~="board-name"]', { hasText: 'Ada' }).first().waitFor();
    const stop = page.locator('[data-stop]').nth(20);
    await stop.focus();
    const state = () =>
      page.evaluate(`(() => {
      const focused = document.activeElement?.shadowRoot?.activeElement;
      return [focused?.dataset.stop, Math.round(scrollY), Math.round(focused?.getBoundingClientRect().top)];
    })()`);
    let before: unknown;
    await until('the page lies still', async () => {
      const last = before;
      before = await state();
      return isDeepStrictEqual(before, last);
    });
    assert.ok((before as string[])[0]);

    await button.click();
    await board.locator('[part~="board-name"]', { hasText: 'Grace' }).first().waitFor();
    await stop.filter({ hasText: 'Grace' }).first().waitFor();
    assert.deepEqual(await state(), before);
    assert.deepEqual(complaints, [[], [], []]);
  },
);
