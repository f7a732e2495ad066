import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { batch, EVENT_LOOP, type Timers } from '../../src/feed/waiting.ts';
import { StoreFailure } from '../../src/store/failure.ts';

const LONG_MS = 60_000;

describe('Questions in batches', () => {
  test('who asks again in the turn after an answer shares the next batch with those who waited meanwhile', async () => {
    const batches: number[][] = [];
    const first = Promise.withResolvers<void>();
    let toRun: (() => void)[] = [];
    const timers: Timers = { soon: (run) => toRun.push(run), after: () => () => undefined };
    const settled = () => new Promise((resume) => setImmediate(resume));
    const endTurn = async () => {
      await settled();
      const due = toRun;
      toRun = [];
      for (const run of due) run();
      await settled();
    };
    const ask = batch(
      async (questions: readonly number[]) => {
        batches.push([...questions]);
        await first.promise;
      },
      { deadlineMs: LONG_MS, timers },
    );
    const answered = ask(1);
    await endTurn();
    const waiting = ask(2);
    first.resolve();
    await answered;
    await endTurn();
    const again = ask(3);
    await endTurn();
    await Promise.all([waiting, again]);
    assert.deepEqual(batches, [[1], [2, 3]]);
  });

  test('a failure is told to the batch that it struck, and the next batch is asked again', async () => {
    let times = 0;
    const ask = batch(
      async () => {
        if (++times === 1) throw new Error('on purpose');
        return 'fine';
      },
      { deadlineMs: LONG_MS },
    );
    const failed = await Promise.allSettled([ask(1), ask(2)]);
    assert.deepEqual(
      failed.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await ask(3), 'fine');
  });

  test('a question that is never answered ends with the deadline, and does not hold up the ones after it', async () => {
    let times = 0;
    const ask = batch(async () => (++times === 1 ? new Promise<string>(() => undefined) : 'fine'), {
      deadlineMs: 300,
    });
    const isUnavailable = (error: unknown) => error instanceof StoreFailure && error.kind === 'unavailable';
    await assert.rejects(ask(1), isUnavailable);
    // On a busy machine, the deadline of the next one may be over before it is asked.
    assert.equal(await askUntilAnswered(ask, 2), 'fine');
  });

  test('a batch takes a limited number of questions', async () => {
    const ask = batch(async (questions: readonly number[]) => questions.length, { deadlineMs: LONG_MS });
    const answers = await Promise.allSettled(Array.from({ length: 10_001 }, (_, i) => ask(i)));
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 10_000);
    assert.equal(answers.at(-1)?.status, 'rejected');
  });

  test('a question that ends with its deadline before its batch begins is not asked any more', async () => {
    const batches: number[][] = [];
    const first = Promise.withResolvers<void>();
    const ask = batch(
      async (questions: readonly number[]) => {
        batches.push([...questions]);
        first.resolve();
        return questions[0] === 1 ? new Promise<string>(() => undefined) : 'fine';
      },
      // The second ends in the pause after the first.
      { deadlineMs: 100, pauseAfterFailureMs: 1_000 },
    );
    const early = ask(1);
    await Promise.all([
      first.promise,
      assert.rejects(early),
      first.promise.then(() => assert.rejects(ask(2))),
    ]);
    assert.equal(await askUntilAnswered(ask, 3), 'fine');
    assert.equal(batches.flat().includes(2), false);
  });

  test('after a failure there is a pause, however many ask', async () => {
    let times = 0;
    const timers: Timers = {
      ...EVENT_LOOP,
      // The pause lasts for ever, and does not keep the process alive.
      after: (ms, run) => (ms === LONG_MS ? () => undefined : EVENT_LOOP.after(ms, run)),
    };
    const ask = batch(
      async () => {
        times++;
        throw new Error('on purpose');
      },
      { deadlineMs: 50, pauseAfterFailureMs: LONG_MS, timers },
    );
    await assert.rejects(ask(1), /on purpose/);
    // Within the pause, these end with their deadlines.
    for (const question of [2, 3]) await assert.rejects(ask(question), /took too long/);
    assert.equal(times, 1);
  });
});

async function askUntilAnswered<Answer>(
  ask: (question: number) => Promise<Answer>,
  question: number,
): Promise<Answer | undefined> {
  for (let i = 0; i < 100; i++) {
    const answer = await ask(question).catch(() => undefined);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
