import assert from 'node:assert/strict';
import type { Worker } from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { type DispatcherOptions, makeDispatcher } from '../../src/server/dispatcher.ts';
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

describe('a worker that does not answer', () => {
  test('gets no further connection until it answers; the others go to another worker', async (t) => {
    const { dispatcher, client, dropped } = await startDispatcher(t, {
      queueTimeoutMs: 60_000,
      offerTimeoutMs: 200,
    });
    const silent = fakeWorker(() => undefined);
    const quick = fakeWorker((number) => quick.answer(number));
    dispatcher.addWorker(silent.worker);
    dispatcher.addWorker(quick.worker);
    const clients = [client(), client(), client(), client()];
    await Promise.all(clients.map(endOf));
    assert.deepEqual(silent.offers, ['connection', 'nothing']);
    assert.deepEqual(quick.offers, ['connection', 'connection', 'connection']);
    assert.equal(dropped(), 1);

    // Its answer to the first offer comes too late.
    silent.answer(1);
    await endOf(client());
    assert.equal(silent.offers.length, 2);
    silent.answer(2);
    // Workers take turns, so this one is next after one more.
    for (const one of [client(), client()]) await Promise.race([endOf(one), silent.offered(3)]);
    assert.equal(silent.offers[2], 'connection');
  });
});

/** Stands for a worker process, as far as the dispatcher uses it. */
function fakeWorker(onOffer: (number: number) => void) {
  const offers: ('connection' | 'nothing')[] = [];
  const events = new EventEmitter();
  const worker = Object.assign(events, {
    process: new EventEmitter(),
    send({ number }: { number: number }, socket: Socket | undefined) {
      offers.push(socket === undefined ? 'nothing' : 'connection');
      events.emit('offered', number);
      onOffer(number);
    },
  }) as unknown as Worker;
  return {
    worker,
    offers,
    answer: (number: number) => events.emit('message', { kind: 'taken', number }),
    async offered(number: number) {
      if (offers.length < number) await once(events, 'offered');
    },
  };
}

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
