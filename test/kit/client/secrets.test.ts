/** The token opens everything that an account has. It goes to the server that the owner named, and nowhere else. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { ShiftfeedClient, ShiftfeedError } from '@shiftfeed/client';
import { send, sendError, sendListing, startOtherServer } from './other-server.ts';

const TOKEN = 'shiftfeed_very-secret';
const server = await startOtherServer({ after });
const elsewhere = await startOtherServer({ after });
const client = new ShiftfeedClient({ url: server.url, token: TOKEN, backoffMs: 0 });

test('the token is sent as the API wants it', async () => {
  server.answer = sendListing([]);
  await client.list();
  assert.equal(server.requests.at(-1)?.headers.authorization, `Bearer ${TOKEN}`);
  assert.ok(!server.requests.at(-1)?.url?.includes(TOKEN));
});

test('a client that is written out does not show the token', () => {
  const written = [JSON.stringify(client), String(client), inspect(client, { showHidden: true, depth: 20 })];
  written.push(
    JSON.stringify(Object.getOwnPropertyDescriptors(client)),
    JSON.stringify(structuredClone({ ...client })),
  );
  for (const text of written) assert.ok(!text.includes(TOKEN), text);
});

test('no error shows the token, whatever the server says', async () => {
  for (const answer of [
    sendError(401, `Your token ${TOKEN} is wrong: ${TOKEN}.`),
    sendError(503, `Bearer ${TOKEN}`),
    send(200, `{"shifts":"${TOKEN}"}`),
    send(200, TOKEN),
    send(302, '', { location: `/elsewhere?token=${TOKEN}` }),
  ]) {
    server.answer = answer;
    await assert.rejects(client.list(), (error) => {
      assert.ok(error instanceof ShiftfeedError);
      const written = `${inspect(error, { showHidden: true, depth: 20 })}${JSON.stringify(error)}${error.stack}`;
      assert.ok(!written.includes(TOKEN), written);
      return true;
    });
  }
  const throwing = async (_: string, { headers }: RequestInit) => {
    throw new Error('Cannot send.', { cause: headers });
  };
  await assert.rejects(
    new ShiftfeedClient({ url: server.url, token: TOKEN, backoffMs: 0, fetch: throwing }).list(),
    (error) => {
      assert.ok(!inspect(error, { depth: 20 }).includes(TOKEN));
      return true;
    },
  );
});

test('a token that cannot be sent, or an address with a password, is refused without repeating it', () => {
  for (const token of [`${TOKEN}\n`, ` ${TOKEN}`, `${TOKEN}é`, '', undefined as unknown as string]) {
    assert.throws(
      () => new ShiftfeedClient({ url: server.url, token }),
      (error) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, /^token /);
        assert.ok(!error.message.includes(TOKEN));
        return true;
      },
    );
  }
  for (const url of [
    'acme',
    '',
    'ftp://server/acme',
    `http://user:${TOKEN}@server/acme`,
    `http://server/acme?token=${TOKEN}`,
    'http://server/acme#x',
    'http://server/acme/api/v1/shifts/',
  ]) {
    assert.throws(
      () => new ShiftfeedClient({ url, token: TOKEN }),
      (error) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, /^url /);
        assert.ok(!error.message.includes(TOKEN));
        return true;
      },
    );
  }
});

test('a redirect is not followed, neither elsewhere nor here', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of [`${elsewhere.url}/api/v1/shifts`, '/other/api/v1/shifts']) {
      server.requests.length = 0;
      server.answer = send(status, '', { location });
      await assert.rejects(client.list(), {
        name: 'ShiftfeedAnswerError',
        status,
        message: 'The answer cannot be used: it is a redirect, which is not followed.',
      });
      assert.equal(server.requests.length, 1);
    }
  }
  assert.equal(elsewhere.requests.length, 0);
});
