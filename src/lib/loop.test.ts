import { expect, it } from 'vitest';
import { ManualTimer } from '../testkit/manual-timer.ts';
import { Loop, type LoopOptions } from './loop.ts';

function open(work: (signal: AbortSignal) => Promise<unknown>, options: Partial<LoopOptions> = {}) {
  const timer = new ManualTimer();
  const warnings: object[] = [];
  const log = { warn: (fields: object) => void warnings.push(fields) };
  return {
    timer,
    warnings,
    loop: new Loop({ name: 'sweep', everyMs: 1000, failure: 'it failed', log, timer, ...options }, work),
  };
}

it('repeats its work, one round after the other', async () => {
  let rounds = 0;
  const { loop, timer } = open(async () => void rounds++);
  loop.start();
  loop.start();
  await timer.elapse();
  await timer.elapse();
  await expect.poll(() => rounds).toBe(3);
  await loop.stop();
  expect(timer.sleeps).toEqual([1000, 1000, 1000]);
});

it('may wait before the first round', async () => {
  let rounds = 0;
  const { loop, timer } = open(async () => void rounds++, { waitsFirst: true });
  loop.start();
  expect(rounds).toBe(0);
  await timer.elapse();
  await expect.poll(() => rounds).toBe(1);
  await loop.stop();
});

it('waits for the running round when it is stopped, and may be started again', async () => {
  const round = Promise.withResolvers<void>();
  const aborted: boolean[] = [];
  const { loop } = open(async (signal) => {
    await round.promise;
    aborted.push(signal.aborted);
  });
  await loop.stop();
  loop.start();
  const stopped = Promise.all([loop.stop(), loop.stop()]);
  round.resolve();
  await stopped;
  expect(aborted).toEqual([true]);
  loop.start();
  await loop.stop();
  expect(aborted.length).toBe(2);
});

it('logs a round that fails, and tries again, later after several failures', async () => {
  let rounds = 0;
  const { loop, timer, warnings } = open(async () => {
    if (++rounds < 6) throw new Error('broken');
  });
  loop.start();
  for (let i = 0; i < 6; i++) await timer.elapse();
  await loop.stop();
  expect(warnings.slice(0, 2)).toMatchObject([{ err: { message: 'broken' }, loop: 'sweep', failures: 1 }, {
    failures: 2,
  }]);
  const [first, second, , , fifth, after] = timer.sleeps as [number, number, number, number, number, number];
  expect([first <= 1000, second > 1000 && second <= 2000, fifth >= 3000 && fifth <= 4000, after]).toEqual([true, true,
    true, 1000]);
});
