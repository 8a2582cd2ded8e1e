import { describe, expect, it } from 'vitest';
import { FailedJoins } from './failed-joins.ts';

const fail = (): Promise<never> => Promise.reject(new Error('no'));

describe('failed joins', () => {
  it('are ten a minute for each address, and those that succeed do not count', async () => {
    let now = 0;
    const joins = new FailedJoins({ now: () => now });
    for (let n = 0; n < 10; n++) {
      now += 1000;
      expect(await joins.run('a', async () => n)).toBe(n);
      await expect(joins.run('a', fail)).rejects.toThrow('no');
    }
    await expect(joins.run('a', fail)).rejects.toMatchObject({ status: 'resource_exhausted' });
    expect(await joins.run('b', async () => 'in')).toBe('in');
    now = 61_000;
    expect(await joins.run('a', async () => 'in')).toBe('in');
    await expect(joins.run('a', fail)).rejects.toThrow('no');
    await expect(joins.run('a', fail)).rejects.toMatchObject({ status: 'resource_exhausted' });
  });

  it('count while they are under way, so that many at once are no way around', async () => {
    const joins = new FailedJoins({ now: () => 0 });
    let [begun, refused] = [0, 0];
    await Promise.all(Array.from({ length: 50 }, () =>
      joins.run('a', async () => {
        begun += 1;
        await new Promise(setImmediate);
        throw new Error('no');
      }).catch((error: Error) => (refused += Number(error.message !== 'no')))));
    expect([begun, refused]).toEqual([10, 40]);
  });

  it('let a fleet behind one address join at once: those beyond ten wait for those before them', async () => {
    const joins = new FailedJoins({ now: () => 0 });
    let [underWay, most] = [0, 0];
    const done = await Promise.all(Array.from({ length: 200 }, (_, n) =>
      joins.run('a', async () => {
        most = Math.max(most, ++underWay);
        await new Promise(setImmediate);
        underWay -= 1;
        return n;
      })));
    expect(done).toEqual(Array.from({ length: 200 }, (_, n) => n));
    expect(most).toBe(10);
  });

  it('leave less room for those at once the more have failed', async () => {
    const joins = new FailedJoins({ now: () => 0 });
    for (let n = 0; n < 7; n++) await expect(joins.run('a', fail)).rejects.toThrow('no');
    let [underWay, most] = [0, 0];
    await Promise.all(Array.from({ length: 20 }, () =>
      joins.run('a', async () => {
        most = Math.max(most, ++underWay);
        await new Promise(setImmediate);
        underWay -= 1;
      })));
    expect(most).toBe(3);
  });

  it('do not wait in any number', async () => {
    const joins = new FailedJoins({ now: () => 0 });
    const room = Promise.withResolvers<void>();
    const results = Array.from({ length: 1020 },
      () => joins.run('a', () => room.promise).then(() => 'in', (error: Error) => error.message));
    await new Promise(setImmediate);
    room.resolve();
    const answers = await Promise.all(results);
    expect(answers.filter((answer) => answer === 'in')).toHaveLength(1010);
    expect(answers.at(-1)).toMatch(/at once/);
  });
});
