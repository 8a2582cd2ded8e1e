import { describe, expect, it } from 'vitest';
import { Arrivals } from './forward.ts';

function setUp() {
  const loop = { number: 1, turn: () => loop.number };
  const looks: PromiseWithResolvers<void>[] = [];
  const arrivals = new Arrivals(() => {
    looks.push(Promise.withResolvers<void>());
    return looks.at(-1)!.promise;
  }, loop);
  return { arrivals, looks, loop };
}

describe('requests that arrive at a worker', () => {
  it('share one look at the database with those of the same turn', async () => {
    const { arrivals, looks } = setUp();
    const told = [arrivals.current(), arrivals.current(), arrivals.current()];
    expect(looks).toHaveLength(1);
    looks[0]!.resolve();
    expect(await Promise.all(told)).toEqual([true, true, true]);
    expect(await arrivals.current()).toBe(true);
    expect(looks).toHaveLength(1);
  });

  it('do not wait for the look of an earlier turn, which may not see what was committed since', async () => {
    const { arrivals, looks, loop } = setUp();
    const first = arrivals.current();
    loop.number = 2;
    const second = arrivals.current();
    expect(looks).toHaveLength(2);
    looks[1]!.resolve();
    expect(await second).toBe(true);
    looks[0]!.resolve();
    expect(await first).toBe(true);
  });

  it('are told if the current state cannot be loaded, until a later turn', async () => {
    const { arrivals, looks, loop } = setUp();
    const told = [arrivals.current(), arrivals.current()];
    looks[0]!.reject(new Error('gone'));
    expect(await Promise.all(told)).toEqual([false, false]);
    loop.number = 2;
    const later = arrivals.current();
    looks[1]!.resolve();
    expect(await later).toBe(true);
  });
});
