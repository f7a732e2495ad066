import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { type DispatcherOptions, makeDispatcher } from '../../src/cli/serve/dispatcher.ts';
import { endOf } from '../support/end-of.ts';

describe('connections that no worker takes', () => {
  test('are closed when they have waited for long enough', async (t) => {
    const { client, dropped } = await startDispatcher(t, { queueTimeoutMs: 50 });
    await Promise.all([client(), client()].map(endOf));
    assert.equal(dropped(), 2);
  });

  test('are closed at once when too many wait already', async (t) => {
    const { client, dropped } = await startDispatcher(t, { maxQueued: 2, queueTimeoutMs: 60_000 });
    const clients = [client(), client(), client()];
    await Promise.race(clients.map(endOf));
    assert.equal(dropped(), 1);
    assert.equal(clients.filter((socket) => socket.closed).length, 1);
  });

  test('are closed when the server stops', async (t) => {
    const { client, dispatcher } = await startDispatcher(t, { queueTimeoutMs: 60_000 });
    const waiting = client();
    await once(waiting, 'connect');
    dispatcher.close();
    await endOf(waiting);
  });
});

async function startDispatcher(context: TestContext, limits: Omit<DispatcherOptions, 'onDropped'>) {
  let dropped = 0;
  const dispatcher = makeDispatcher({
    ...limits,
    onDropped: () => {
      dropped++;
    },
  });
  const server = createServer({ pauseOnConnect: true }, dispatcher.dispatch).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    dispatcher.close();
  });
  const { port } = server.address() as AddressInfo;
  const client = (): Socket => {
    const socket = connect(port, '127.0.0.1').resume();
    // A connection may end as a reset.
    socket.on('error', () => undefined);
    context.after(() => {
      socket.destroy();
    });
    return socket;
  };
  return { dispatcher, client, dropped: () => dropped };
}
