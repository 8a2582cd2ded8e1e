import { describe, expect, it } from 'vitest';
import { atMost, systemResolve } from './guarded-connector.ts';

describe('names', () => {
  it('are resolved in turn, a limited number at once, whether they are found or not', async () => {
    const begun: string[] = [];
    const ends: ((found: boolean) => void)[] = [];
    const resolve = atMost(2, (hostname) =>
      new Promise((done, fail) => {
        begun.push(hostname);
        ends.push((found) => (found ? done([{ address: '192.0.2.1', family: 4 }]) : fail(new Error('unknown'))));
      }));
    const results = Promise.allSettled(['a', 'b', 'c', 'd'].map(resolve));
    await new Promise(setImmediate);
    expect(begun).toEqual(['a', 'b']);
    ends[0]!(false);
    await new Promise(setImmediate);
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const i of [1, 2]) ends[i]!(true);
    await new Promise(setImmediate);
    ends[3]!(true);
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('of this machine are known', async () => {
    expect((await systemResolve('localhost')).map(({ address }) => address)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:127\.0\.0\.1|::1)$/)]),
    );
  });
});
