import { describe, expect, it } from 'vitest';
import { countWithinBudget } from './present.ts';

describe('countWithinBudget (contract section 2, `retrieval`)', () => {
  it.each([[[], 10, 0], [[1000], 1, 1], [[8, 8, 8], 4, 2], [[8, 9, 8], 4, 1], [[8, 100, 1], 4, 1], [[0, 0, 0], 1, 3], [[
    8,
    8,
    8,
  ], 0, 3]])('of texts of %j bytes and %i tokens keeps %i', (bytes, budget, kept) => {
    expect(countWithinBudget(bytes.map((cost) => ({ cost })), budget)).toBe(kept);
  });
});
