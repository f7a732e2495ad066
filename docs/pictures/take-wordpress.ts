/**
 * Takes the pictures of the plugin for WordPress, in a real one, which is downloaded for it: `npm run pictures`. They show
 * the day on which they are taken.
 */

import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { makeShift } from '../../test/kit/gateway/upstream.ts';
import { logIn, openPage, startGateway } from '../../test/kit/wordpress/gateway.ts';
import { downloadWordPress, startWordPress } from '../../test/kit/wordpress/site.ts';
import { connectBrowser, launchBrowser } from '../../test/support/browser.ts';

const ROOT = join(import.meta.dirname, '../..');
const VERSION = '6.5';
const GROUPS = ['Kitchen', 'Service', 'Bar'].map((name, i) => ({ id: i + 1, name }));

const endings: (() => unknown)[] = [];
try {
  await takePictures({ after: (end) => void endings.push(end) });
} finally {
  for (const end of endings.reverse()) await end();
}

async function takePictures(whole: { after(end: () => unknown): void }): Promise<void> {
  const { folder, missing } = await downloadWordPress(whole, [VERSION]);
  if (missing !== undefined) throw new Error(missing);
  const site = await startWordPress(whole, join(folder, VERSION));
  const gateway = await startGateway(whole, site.url, 'Who works when', weekOfShifts());
  await cp(join(ROOT, 'kit/wordpress'), join(folder, VERSION, 'wp-content/plugins/shiftfeed'), {
    recursive: true,
  });
  const block = '<!-- wp:shiftfeed/shifts {"feed":"kitchen","legend":true,"subscribe":true} /-->';
  const id = await site.php(`
    require ABSPATH . 'wp-admin/includes/plugin.php';
    activate_plugin('shiftfeed/shiftfeed.php');
    update_option('shiftfeed_gateway', '${gateway.url}');
    echo wp_insert_post(['post_type' => 'page', 'post_title' => 'Our shifts', 'post_status' => 'publish', 'post_content' => '${block}']);`);

  const server = await launchBrowser();
  endings.push(() => server.close());
  const browser = await connectBrowser(whole, server.wsEndpoint());
  const page = await openPage(browser, {
    timezoneId: 'Europe/Amsterdam',
    viewport: { width: 1200, height: 900 },
  });
  const picture = (name: string) => page.screenshot({ path: join(import.meta.dirname, name) });
  const shifts = page.locator('shift-calendar [part~="shift"]');
  await page.goto(`${site.url}/?page_id=${id}`);
  await shifts.first().waitFor();
  await picture('wordpress-page-light.png');

  await logIn(page, site.url);
  await page.goto(`${site.url}/wp-admin/post.php?action=edit&post=${id}`);
  await shifts.first().waitFor();
  await page.evaluate(`
    wp.data.dispatch('core/preferences').set('core/edit-post', 'welcomeGuide', false);
    wp.data.dispatch('core/block-editor').selectBlock(wp.data.select('core/block-editor').getBlockOrder()[0]);
    wp.data.dispatch('core/edit-post').openGeneralSidebar('edit-post/block');
  `);
  await page.getByLabel('Feed', { exact: true }).waitFor();
  await page.evaluate(`document.querySelector('.interface-interface-skeleton__content').scrollTop = 0`);
  await picture('wordpress-editor-light.png');
}

function weekOfShifts() {
  const today = Temporal.Now.plainDateISO('Europe/Amsterdam');
  return Array.from({ length: 14 }, (_, i) => {
    const date = String(today.add({ days: Math.floor(i / 2) }));
    const [start_time, end_time] = i % 2 === 0 ? ['09:00', '17:00'] : ['15:00', '22:30'];
    return makeShift({
      id: i,
      date,
      start_time,
      end_time,
      cancelled: i === 3,
      ...(GROUPS[i % 3] && { group: GROUPS[i % 3] }),
    });
  });
}
