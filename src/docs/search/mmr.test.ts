import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metric } from '../../search/vector/index.ts';
import { chooseByMmr } from './mmr.ts';

const METRICS: readonly Metric[] = ['cosine', 'dot_product', 'euclidean'];

function similarity(a: readonly number[], b: readonly number[], metric: Metric): number {
  const dot = a.reduce((sum, number, i) => sum + number * b[i]!, 0);
  if (metric === 'dot_product') return dot;
  if (metric === 'euclidean') return 1 / (1 + Math.hypot(...a.map((number, i) => number - b[i]!)));
  const norms = Math.hypot(...a) * Math.hypot(...b);
  return norms === 0 ? 0 : dot / norms;
}

describe('the choice by maximal marginal relevance', () => {
  it('takes at each step a result of the greatest marginal relevance', async () => {
    const number = fc.integer({ min: -3, max: 3 });
    const cases = fc.integer({ min: 1, max: 40 }).chain((dims) =>
      fc.record({
        candidates: fc.array(fc.record({
          score: fc.integer({ min: -4, max: 4 }).map((score) => score / 4),
          numbers: fc.array(number, { minLength: dims, maxLength: dims }),
        }), { maxLength: 12 }),
        metric: fc.constantFrom(...METRICS),
        lambda: fc.constantFrom(0, 0.25, 0.5, 1),
        k: fc.integer({ min: 1, max: 14 }),
      })
    );
    await fc.assert(fc.asyncProperty(cases, async ({ candidates, metric, lambda, k }) => {
      const given = candidates.map((each) => ({ ...each, vector: Float32Array.from(each.numbers) }));
      const chosen = await chooseByMmr(given, { metric, lambda, k });
      expect(new Set(chosen).size).toBe(Math.min(k, given.length));
      for (const [step, choice] of chosen.entries()) {
        const before = chosen.slice(0, step);
        const marginal = ({ score, numbers }: (typeof given)[number]): number =>
          lambda * score -
          (step === 0
            ? 0
            : (1 - lambda) * Math.max(...before.map((other) => similarity(numbers, other.numbers, metric))));
        const best = Math.max(...given.filter((each) => !before.includes(each)).map(marginal));
        expect(marginal(choice)).toBeCloseTo(best, 4);
      }
    }));
  });

  it('takes equals in their order, and begins with the most relevant', async () => {
    const equal = (name: string, score: number) => ({ name, score, vector: Float32Array.of(1, 0) });
    const chosen = await chooseByMmr([equal('a', 0.5), equal('b', 0.9), equal('c', 0.9), equal('d', 0.5)], {
      metric: 'cosine',
      lambda: 1,
      k: 4,
    });
    expect(chosen.map(({ name }) => name)).toEqual(['b', 'c', 'a', 'd']);
  });
});
