import { Counter, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { VirtualTimer } from '../testkit/virtual-timer.ts';
import { Loop, type LoopOptions, roundsMetric } from './loop.ts';

function open(work: (signal: AbortSignal) => Promise<unknown>, options: Partial<LoopOptions> = {}) {
  const timer = new VirtualTimer();
  const warnings: object[] = [];
  const log = { warn: (fields: object) => void warnings.push(fields) };
  const loop = new Loop({ name: 'sweep', everyMs: 1000, failure: 'it failed', log, timer, ...options }, work);
  return { timer, warnings, loop };
}

/** A loop whose rounds note their times. */
function noting(options: Partial<LoopOptions> = {}) {
  const times: number[] = [];
  const opened = open(async () => void times.push(opened.timer.now), options);
  return { ...opened, times };
}

it('repeats its work, one round after the other', async () => {
  const { loop, timer, times } = noting();
  loop.start();
  loop.start();
  await timer.advance(2500);
  await loop.stop();
  await timer.advance(2500);
  expect(times).toEqual([0, 1000, 2000]);
});

it('may wait before the first round, and find out how long after each', async () => {
  const pauses = [300, 20, 500];
  const { loop, timer, times } = noting({ waitsFirst: true, everyMs: () => pauses.shift() ?? Infinity });
  loop.start();
  await timer.advance(5000);
  await loop.stop();
  expect(times).toEqual([300, 320, 820]);
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

it('waits before the first round after a stop, too', async () => {
  const { loop, timer, times } = noting({ waitsFirst: true });
  for (let start = 0; start < 2; start++) {
    loop.start();
    await timer.advance(1500);
    await loop.stop();
  }
  expect(times).toEqual([1000, 2500]);
});

it('begins a round when it is woken, even during a round, and says when it only waits', async () => {
  const rounds: PromiseWithResolvers<void>[] = [];
  const { loop, timer } = open(() => {
    rounds.push(Promise.withResolvers());
    return rounds.at(-1)!.promise;
  }, { everyMs: Infinity });
  await loop.settled();
  loop.start();
  let isSettled = false;
  const settled = loop.settled().then(() => (isSettled = true));
  loop.wake();
  rounds[0]!.resolve();
  await timer.settle();
  expect([rounds.length, isSettled]).toEqual([2, false]);
  rounds[1]!.resolve();
  await Promise.all([settled, loop.settled()]);
  await timer.advance(1e9);
  expect(rounds.length).toBe(2);
  loop.wake();
  const again = loop.settled();
  await timer.settle();
  rounds[2]!.resolve();
  await again;
  await loop.stop();
  expect(rounds.length).toBe(3);
});

it('logs a round that fails, and tries again, later after several failures', async () => {
  const times: number[] = [];
  const { loop, timer, warnings } = open(async () => {
    times.push(timer.now);
    if (times.length < 6) throw new Error('broken');
  });
  loop.start();
  await timer.advance(20_000);
  await loop.stop();
  expect(warnings.length).toBe(5);
  expect(warnings[0]).toMatchObject({ err: { message: 'broken' }, loop: 'sweep' });
  const pauses = times.slice(1).map((time, i) => time - times[i]!);
  expect(pauses[0]).toBeLessThanOrEqual(1000);
  expect(pauses[1]).toBeGreaterThan(1000);
  expect(pauses[4]).toBeGreaterThanOrEqual(3000);
  expect(pauses[4]).toBeLessThanOrEqual(4000);
  expect(pauses[5]).toBe(1000);
});

it('pauses after failures as it is told, whoever wakes it', async () => {
  let rounds = 0;
  const { loop, timer } = open(async () => {
    if (++rounds === 4) return;
    loop.wake();
    throw new Error('broken');
  }, { everyMs: Infinity, backoff: { initial: 100, max: 100 } });
  loop.start();
  await timer.advance(70);
  loop.wake();
  await timer.advance(1);
  expect(rounds).toBe(1);
  await timer.advance(1000);
  expect(rounds).toBe(4);
  loop.wake();
  await timer.advance(0);
  await loop.stop();
  expect(rounds).toBe(5);
});

it('counts the rounds of all loops by name', async () => {
  const { loop: good, timer } = noting({ name: 'good' });
  const { loop: bad } = open(() => Promise.reject(new Error('broken')), { name: 'bad', timer });
  good.start();
  bad.start();
  await timer.advance(1500);
  await Promise.all([good.stop(), bad.stop()]);
  const registry = new Registry();
  new Counter({ ...roundsMetric('rounds_total'), registers: [registry] });
  const text = await registry.metrics();
  expect(text).toContain('rounds_total{loop="good",outcome="ok"} 2');
  expect(text).toContain('rounds_total{loop="good",outcome="error"} 0');
  expect(text).toContain('rounds_total{loop="bad",outcome="error"} 2');
});
