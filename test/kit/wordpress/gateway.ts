/** A gateway for WordPress, and browsers that see both. */

import { createServer } from 'node:http';
import type { Shift } from '@shiftfeed/client';
import { createGateway } from '@shiftfeed/gateway';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { browserFiles } from '../../../kit/calendar/build/browser-files.ts';
import type { Cleanup } from '../../support/database.ts';
import { listen } from '../../support/listening.ts';
import { type FakeUpstream, fakeUpstream } from '../gateway/upstream.ts';
import { ADMINISTRATOR } from './site.ts';

/** Editor and pages ask others for pictures and news. Here they get none. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  await context.route(
    ({ hostname }) => hostname !== '127.0.0.1',
    (route) => route.fulfill({ body: '' }),
  );
  return context.newPage();
}

export async function logIn(page: Page, url: string, { name, password } = ADMINISTRATOR): Promise<void> {
  await page.goto(`${url}/wp-login.php`);
  await page.fill('#user_login', name);
  await page.fill('#user_pass', password);
  await page.click('#wp-submit');
  await page.waitForURL(/wp-admin/);
}

export interface TestGateway {
  readonly url: string;
  readonly upstream: FakeUpstream;
  isAway: boolean;
  /** What WordPress asked for. */
  readonly asked: string[];
  /** Starts anew, without a copy. */
  forget(): void;
}

export async function startGateway(
  context: Cleanup,
  origin: string,
  title: string,
  shifts: readonly Shift[],
): Promise<TestGateway> {
  const upstream = fakeUpstream({ shifts });
  const open = () =>
    createGateway({
      config: {
        upstream: 'https://upstream.example/acme',
        feeds: {
          kitchen: { title, group_ids: 'all', origins: [origin] },
          quiet: { group_ids: 'all' },
        },
      },
      token: 'token',
      fetch: upstream.fetch,
      scripts: browserFiles(),
    });
  let handle = open();
  const server = createServer(async ({ headers, method = 'GET', url = '', socket }, response) => {
    if (gateway.isAway) return void socket.destroy();
    if (headers['user-agent']?.startsWith('WordPress/')) gateway.asked.push(url);
    const answer = await handle(
      new Request(`${gateway.url}${url}`, { method, headers: { origin: headers.origin ?? '' } }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const gateway: TestGateway = {
    url: `http://127.0.0.1:${await listen(context, server)}`,
    upstream,
    isAway: false,
    asked: [],
    forget() {
      handle = open();
    },
  };
  return gateway;
}
