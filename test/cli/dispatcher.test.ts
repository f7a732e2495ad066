import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { type HandOverOptions, makeHandOver } from '../../src/cli/serve/dispatcher.ts';
import { endOf } from '../support/end-of.ts';

describe('connections that no worker takes', () => {
  test('are closed when they have waited for long enough', async (t) => {
    const { client, closed } = await startDoor(t, { waitLimitMs: 50 });
    await Promise.all([client(), client()].map(endOf));
    assert.equal(closed(), 2);
  });

  test('are closed at once when too many wait already', async (t) => {
    const { client, closed } = await startDoor(t, { maxWaiting: 2, waitLimitMs: 60_000 });
    const clients = [client(), client(), client()];
    await Promise.race(clients.map(endOf));
    assert.equal(closed(), 1);
    assert.equal(clients.filter((socket) => socket.closed).length, 1);
  });

  test('are closed when the server stops', async (t) => {
    const { client, handOver } = await startDoor(t, { waitLimitMs: 60_000 });
    const waiting = client();
    await once(waiting, 'connect');
    handOver.close();
    await endOf(waiting);
  });
});

async function startDoor(context: TestContext, limits: Omit<HandOverOptions, 'onClosed'>) {
  let closed = 0;
  const handOver = makeHandOver({
    ...limits,
    onClosed: () => {
      closed++;
    },
  });
  const door = createServer({ pauseOnConnect: true }, handOver.accept).listen(0, '127.0.0.1');
  await once(door, 'listening');
  context.after(() => {
    door.close();
    handOver.close();
  });
  const { port } = door.address() as AddressInfo;
  const client = (): Socket => {
    const socket = connect(port, '127.0.0.1').resume();
    // A connection may end as a reset.
    socket.on('error', () => undefined);
    context.after(() => {
      socket.destroy();
    });
    return socket;
  };
  return { handOver, client, closed: () => closed };
}
