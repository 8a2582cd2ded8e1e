import { describe, expect, it } from 'vitest';
import { MATCHED, matchTokens } from './match-tokens.ts';

const hit = (ord: number, score: number) => ({ ord, chunk: 0, score });

describe('matchTokens', () => {
  it('orders by the mean of both scores, and leaves a document that cannot be compared where it was', async () => {
    const found = await matchTokens([hit(1, 0.9), hit(2, 0.8), hit(3, 0.5)],
      () => Promise.resolve(new Map([[1, 0.1], [3, 0.7]])));
    expect(found.map(({ ord, score }) => [ord, Number(score.toFixed(3))])).toEqual([[2, 0.8], [3, 0.6], [1, 0.5]]);
  });

  it('compares the best and keeps the rest behind them, in their order', async () => {
    const hits = Array.from({ length: MATCHED + 2 }, (_, i) => hit(i, 0.9 - i / 1000));
    const found = await matchTokens(hits,
      (ords) => Promise.resolve(new Map(ords.map((ord) => [ord, ord === 7 ? 1 : 0.2]))));
    expect(found[0]!.ord).toBe(7);
    expect(found.slice(-2).map(({ ord }) => ord)).toEqual([MATCHED, MATCHED + 1]);
    for (const [i, { score }] of found.slice(1).entries()) expect(score).toBeLessThanOrEqual(found[i]!.score);
  });

  it('changes nothing without a model of token vectors', async () => {
    const hits = [hit(1, 0.9), hit(2, 0.8)];
    expect(await matchTokens(hits, () => Promise.resolve(undefined))).toBe(hits);
    expect(await matchTokens([], () => Promise.resolve(new Map()))).toEqual([]);
  });
});
