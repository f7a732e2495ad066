/** The plugin in a real WordPress and a real browser: installed as an administrator does it, used as an author does. */

import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { makePlugin } from '../../../packaging/wordpress.ts';
import { connectBrowser, hasBrowser, watchPage } from '../../support/browser.ts';
import { newFolder } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { styleOf } from '../calendar/parts.ts';
import { makeShift } from '../gateway/upstream.ts';
import { logIn, openPage, startGateway, type TestGateway } from './gateway.ts';
import { downloadWordPress, startWordPress, type WordPress } from './site.ts';

const VERSIONS = ['6.2', '6.5'];

/** PHP has no clock but that of the machine. These days come, even if midnight does meanwhile. */
const SOON = String(Temporal.Now.plainDateISO('UTC').add({ days: 2 }));
const LATER = String(Temporal.Now.plainDateISO('UTC').add({ days: 3 }));
const SHIFTS = [
  makeShift({ id: 1, date: SOON, end_date: SOON, group: { id: 1, name: '<b>Bar</b> [caption]' } }),
  makeShift({ id: 2, date: SOON, end_date: LATER, start_time: '22:00', end_time: '06:00' }),
  makeShift({ id: 3, date: LATER, end_date: LATER, group: { id: 2, name: 'Service' }, cancelled: true }),
];

/** As plugins that cache pages put it in the way of every request. */
const PAGE_CACHE = `<?php
$kept = __DIR__ . '/cached.html';
if (isset($_GET['p']) && is_file($kept)) exit(readfile($kept) ? '' : '');`;

const files = await downloadWordPress({ after }, VERSIONS);
const missing = files.missing ?? (hasBrowser() ? undefined : (process.env.TEST_NO_BROWSER ?? 'no browser'));

for (const version of VERSIONS) {
  describe(`WordPress ${version}`, missing === undefined ? {} : { skip: missing }, () => {
    const folder = join(files.folder, version);
    let site: WordPress;
    let gateway: TestGateway;
    let browser: Browser;
    let admin: Page;

    const endings: (() => void | Promise<void>)[] = [];
    before(async () => {
      const whole = { after: (end: () => void | Promise<void>) => void endings.unshift(end) };
      site = await startWordPress(whole, folder);
      gateway = await startGateway(whole, site.url, 'Kitchen <b>', SHIFTS);
      browser = await connectBrowser(whole);
      admin = await openPage(browser);
    });
    after(async () => {
      for (const end of endings) await end();
    });

    /** What a visitor gets, without scripts. */
    const read = async (path: string) => (await fetch(`${site.url}${path}`)).text();

    /** What a visitor sees, and the calendar's own part of it. */
    async function visit(context: TestContext, path: string, options: BrowserContextOptions = {}) {
      const page = await openPage(browser, options);
      context.after(() => page.close());
      const watched = watchPage(page);
      await page.goto(`${site.url}${path}`);
      return { page, rows: page.locator('shift-calendar [part~="shift"]'), ...watched };
    }

    async function publish(content: string): Promise<string> {
      const post = { post_title: 'Rota', post_content: content, post_status: 'publish' };
      return site.php(`echo '/?p=' . wp_insert_post(json_decode('${JSON.stringify(post)}', true));`);
    }

    /** Makes all moments in copies earlier. */
    const age = (seconds: number) =>
      site.php(`global $wpdb;
        foreach ($wpdb->get_col("SELECT option_name FROM $wpdb->options WHERE option_name LIKE '_transient_shiftfeed_%'") as $name) {
          $copy = get_option($name);
          update_option($name, ['due' => $copy['due'] - ${seconds}, 'read' => $copy['read'] - ${seconds}] + $copy);
        }`);

    test('an administrator uploads the archive and activates the plugin', async (context) => {
      await logIn(admin, site.url);
      await admin.goto(`${site.url}/wp-admin/plugin-install.php?tab=upload`);
      await admin.setInputFiles('input[name=pluginzip]', await makePlugin(await newFolder(context)));
      await admin.click('#install-plugin-submit');
      await admin.getByRole('link', { name: 'Activate Plugin' }).click();
      await admin.getByText('Plugin activated.').waitFor();
    });

    test('the settings take an address, and tell of a feed what it shows or why not', async () => {
      await admin.goto(`${site.url}/wp-admin/options-general.php?page=shiftfeed`);
      const address = admin.getByLabel('Address of the gateway');
      const save = async (typed: string) => {
        await address.fill(typed);
        await admin.getByRole('button', { name: 'Save Changes' }).click();
        await admin.locator('.settings-error').waitFor();
        return admin.locator('.settings-error').innerText();
      };
      const trial = async (feed: string) => {
        await admin.getByLabel('Name of a feed').fill(feed);
        await admin.getByRole('button', { name: 'Try' }).click();
        await admin.waitForURL(/page=shiftfeed/);
        return admin.locator('.notice.inline').innerText();
      };
      assert.match(
        await save('ftp://shifts.example.org'),
        /^"ftp:.* is not the address of a gateway: expected/,
      );
      assert.match(await save('http://127.0.0.1:9'), /^Settings saved\./);
      assert.match(await trial('kitchen'), /^The gateway cannot be reached: /);
      await save(`${gateway.url}/`);
      assert.equal(await address.inputValue(), gateway.url);
      const shown = 'This feed is called "Kitchen <b>" and shows 3 shifts.';
      assert.equal(await trial('kitchen'), `${shown}\n\n[shifts feed="kitchen"]`);
      assert.equal(await trial('cellar'), 'The gateway has no feed "cellar".');
      assert.match(await trial('quiet'), /this site, http:\S+, is not among the "origins" of the feed\.$/);
    });

    test('an author places the block, and sees in the editor what visitors see on the page', async (context) => {
      const path = await publish('');
      await admin.goto(`${site.url}/wp-admin/post.php?action=edit&post=${path.slice(4)}`);
      await admin.waitForFunction(`window.wp?.data?.select('core/editor')?.getCurrentPostId()`);
      await admin.evaluate(
        `wp.data.dispatch('core/preferences').set('core/edit-post', 'welcomeGuide', false)`,
      );
      await admin.getByRole('button', { name: 'Toggle block inserter' }).click();
      await admin.getByRole('searchbox').first().fill('Shifts');
      await admin.locator('.editor-block-list-item-shiftfeed-shifts').click();
      const block = admin.locator('[data-type="shiftfeed/shifts"]');
      await block.getByText('[shifts] needs the name of a feed').waitFor();
      await admin.evaluate(`wp.data.dispatch('core/edit-post').openGeneralSidebar('edit-post/block')`);
      await admin.getByLabel('Feed', { exact: true }).fill('kitchen');
      await block.locator('[part~="shift"]', { hasText: '<b>Bar</b> [caption]' }).waitFor();
      await admin.getByRole('combobox', { name: 'View' }).selectOption('week');
      await admin.getByLabel('Colours and a legend of groups').check();
      await block.locator('shift-calendar[view=week][legend] [part~="view-week"]').waitFor();
      await admin.evaluate(`wp.data.dispatch('core/editor').savePost()`);
      await admin.waitForFunction(`!wp.data.select('core/editor').isEditedPostDirty()`);

      const html = await read(path);
      assert.match(
        html,
        /<div class="wp-block-shiftfeed-shifts"><shift-calendar [^>]* view="week" legend="">/,
      );
      assert.match(html, /<li>09:00 – 17:00 &lt;b&gt;Bar&lt;\/b&gt; &#x5b;caption&#x5d;, Harbour<\/li>/);
      const { rows, page, complaints } = await visit(context, path);
      await page.locator('shift-calendar [part~="view-week"]').waitFor();
      await page.getByRole('button', { name: 'List' }).click();
      await rows.filter({ hasText: '<b>Bar</b> [caption]' }).first().waitFor();
      assert.equal(await page.getByRole('listitem').filter({ hasText: 'Last updated' }).count(), 0);
      assert.deepEqual(complaints, []);
    });

    test('a classic post has two calendars in two languages, each with its list, and one script', async (context) => {
      const path = await publish(
        'Rota:\\n\\n[shifts feed="kitchen" locale="nl"]\\n\\n[shifts feed="kitchen" locale="fr" group_ids="2"]',
      );
      const html = await read(path);
      assert.equal(html.split('/shift-calendar.js').length, 2);
      const [dutch = '', french = ''] = html.match(/<div lang="(?:nl|fr)".*?<\/div>/gs) ?? [];
      assert.match(dutch, /Harbour.*\(Geannuleerd\).*Laatst bijgewerkt: /s);
      assert.match(french, /<li>09:00 – 17:00 Service, Harbour \(Annulé\)<\/li>/);
      assert.doesNotMatch(french, /Bar/);
      const { page } = await visit(context, path);
      await page.locator('shift-calendar[locale=nl] [part~="mark-cancelled"]').waitFor();
      await page.locator('shift-calendar[locale=fr] [part~="mark-cancelled"]').waitFor();
      assert.deepEqual(await page.locator('[part~="mark-cancelled"]').allInnerTexts(), [
        'Geannuleerd',
        'Annulé',
      ]);
    });

    test('the colours are those of the theme, in a dark one, too, and with a strict policy', async (context) => {
      const plugins = join(folder, 'wp-content/mu-plugins');
      await mkdir(plugins, { recursive: true });
      // Styles of WordPress and its scripts are inline; those of the calendar are not.
      const policy = `default-src 'none'; script-src 'nonce-1' ${gateway.url}; connect-src ${gateway.url}; img-src *; font-src *; style-src 'unsafe-inline' 'self'`;
      await writeFile(
        join(plugins, 'strict.php'),
        `<?php add_action('send_headers', fn() => header("Content-Security-Policy: ${policy}"));
         add_action('wp_head', fn() => print('<style>body { color: #fafafa !important; background: #111 !important; }</style>'));`,
      );
      const { page, rows } = await visit(context, await publish('[shifts feed="kitchen"]'));
      await rows.first().waitFor();
      assert.equal(await styleOf(page, 'shift', 'color'), 'rgb(250, 250, 250)');
      await writeFile(join(plugins, 'strict.php'), '');
    });

    test('while the gateway is away, visitors see the copy; it is renewed in the background when it is back', async (context) => {
      const path = await publish('[shifts feed="kitchen"]');
      const before = await read(path);
      gateway.isAway = true;
      await age(2 * 3_600);
      const { page } = await visit(context, path);
      await page.getByText('17:00 <b>Bar</b> [caption], Harbour').waitFor();
      assert.doesNotMatch(await read(path), new RegExp(/Last updated: [^<]+/.exec(before)?.[0] ?? '^'));
      await age(24 * 3_600);
      const over = await read(path);
      assert.match(
        over,
        /<p>The shifts cannot be shown at the moment\. Please try again soon\. <a href="http:/,
      );
      gateway.isAway = false;
      await age(3_600);
      assert.match(
        await read(path),
        /17:00 &lt;b&gt;Bar/,
        'where there is no copy, the gateway is asked at once',
      );

      // A page cache keeps the whole page: its list is old, and the calendar is not.
      const content = join(folder, 'wp-content');
      await writeFile(join(content, 'cached.html'), await read(path));
      await writeFile(join(content, 'advanced-cache.php'), PAGE_CACHE);
      gateway.upstream.shifts = [
        makeShift({ id: 9, date: SOON, end_date: SOON, group: { id: 1, name: 'News' } }),
      ];
      gateway.forget();
      const cached = await visit(context, path);
      await cached.rows.filter({ hasText: 'News' }).waitFor();
      assert.match(await read(path), /17:00 &lt;b&gt;Bar/);
      await rm(join(content, 'cached.html'));

      await age(3_600);
      const asked = gateway.asked.length;
      assert.match(await read(path), /17:00 &lt;b&gt;Bar/, 'this visitor does not wait');
      await until('the copy is renewed', async () => (await read(path)).includes('17:00 News'));
      assert.equal(gateway.asked.length, asked + 1);
    });

    test('editors cannot change the address; nothing is left when the plugin is deleted', async () => {
      await site.php(`wp_insert_user(['user_login' => 'ed', 'user_pass' => 'ed', 'role' => 'editor']);`);
      const page = await openPage(browser);
      await logIn(page, site.url, { name: 'ed', password: 'ed' });
      const answer = await page.goto(`${site.url}/wp-admin/options-general.php?page=shiftfeed`);
      assert.equal(answer?.status(), 403);
      const left = () =>
        site.php(`global $wpdb;
          echo $wpdb->get_var("SELECT count(*) FROM $wpdb->options WHERE option_name LIKE '%shiftfeed%' OR option_value LIKE '%shiftfeed%'");`);
      assert.notEqual(await left(), '0');
      const complaints = (await site.complaints()).split('\n');
      assert.deepEqual(
        complaints.filter((line) => line.includes('plugins/shiftfeed')),
        [],
      );
      await site.php(`require ABSPATH . 'wp-admin/includes/admin.php';
        deactivate_plugins('shiftfeed/shiftfeed.php'); delete_plugins(['shiftfeed/shiftfeed.php']);
        foreach (['uninstall_plugins', 'recently_activated'] as $name) delete_option($name);`);
      assert.equal(await left(), '0');
    });
  });
}
