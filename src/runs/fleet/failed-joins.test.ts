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
    await Promise.all(Array.from({ length: 50 }, () => joins.run('a', async () => {
      begun += 1;
      await new Promise(setImmediate);
      throw new Error('no');
    }).catch((error: Error) => (refused += Number(error.message !== 'no')))));
    expect([begun, refused]).toEqual([10, 40]);
  });
});
