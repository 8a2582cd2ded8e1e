import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerBudget } from './answer-budget.ts';

const sizes = fc.array(fc.nat({ max: 5000 }), { maxLength: 40 });

describe('the budget of a response', () => {
  it('holds the first item whatever its size, and then no more than its bytes', () => {
    fc.assert(fc.property(sizes, fc.integer({ min: 0, max: 20_000 }), (items, bytes) => {
      const budget = new AnswerBudget(bytes);
      const fitting = budget.fit(items, (size) => size);
      expect(fitting.length).toBeGreaterThanOrEqual(Math.min(1, items.length));
      expect(fitting).toEqual(items.slice(0, fitting.length));
      if (fitting.length > 1) expect(fitting.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(bytes);
      expect(budget.isSpent).toBe(fitting.length < items.length);
    }));
  });

  it('takes nothing more once something did not fit, small as it may be', () => {
    const budget = new AnswerBudget(1000);
    expect([budget.take(500), budget.take(5000), budget.take(1)]).toEqual([true, false, false]);
  });

  it('is one for all that share it, with a first item for each', () => {
    const budget = new AnswerBudget(2000);
    const [first, second] = [budget.share(), budget.share()];
    expect([first.take(1500), first.take(1000)]).toEqual([true, false]);
    expect([second.take(1500), second.take(1500)]).toEqual([true, false]);
    expect(budget.left).toBe(0);
  });
});
