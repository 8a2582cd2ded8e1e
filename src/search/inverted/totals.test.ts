import { describe, expect, it } from 'vitest';
import { BOUND, InvertedIndex, type Query, type ScoringAlgorithm, type SearchOptions } from './index.ts';

// Searches that need not count every match find the same documents with the same scores.

const ALGORITHMS: readonly ScoringAlgorithm[] = [{ kind: 'bm25' }, { kind: 'tfidf' }, {
  kind: 'bm25f',
  weights: new Map([[0, 1], [1, 3]]),
}];
const FREQUENT = ['the', 'of'];
const RARE = Array.from({ length: 12 }, (_, i) => `rare${String.fromCharCode(97 + i)}`);
const DOCUMENTS = 6000;

/** mulberry32 */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

describe.each(['release', 'debug'] as const)('a search that need not count every match, %s build', (build) => {
  const random = generator(build === 'debug' ? 1 : 2);
  const index = new InvertedIndex({ build });
  for (let ord = 0; ord < DOCUMENTS; ord++) {
    const words = Array.from({ length: 1 + random(12) }, () => (random(3) > 0
      ? FREQUENT[random(2)]!
      : random(9) === 0
      ? RARE[Math.min(random(12), random(12))]!
      : 'filler'));
    // An additional word makes the index large enough to remember the frequent ones.
    index.add(ord, [{ field: 0, text: `${words.join(' ')} own${ord}` },
      ...(ord % 9 === 0 ? [{ field: 1, text: words.slice(0, 2).join(' ') }] : [])], undefined, ord % 2);
  }
  for (let ord = 0; ord < DOCUMENTS; ord += 41) index.remove(ord);
  const term = (word: string, classes?: number): Query => ({
    kind: 'term',
    forms: [{ id: index.form(word)! }],
    weight: 1 + random(3) / 2,
    ...(classes !== undefined && { classes }),
  });
  const drawn = (): Query => {
    const rare = Array.from({ length: 1 + random(3) },
      () => term(RARE[random(12)]!, random(4) === 0 ? 0b01 : undefined));
    return {
      kind: 'or',
      of: [...FREQUENT.slice(random(2)).map((word) => term(word, random(4) === 0 ? 0b10 : undefined)), ...rare].sort(
        () => random(2) - 0.5
      ),
    };
  };
  const filterOf = (one: number): Uint32Array =>
    Uint32Array.from({ length: DOCUMENTS / 32 + 1 }, () => {
      let word = 0;
      for (let bit = 0; bit < 32; bit++) if (random(one) === 0) word |= 1 << bit;
      return word >>> 0;
    });

  it('finds the same best documents', () => {
    const filters = [undefined, undefined, filterOf(2), filterOf(20)];
    let bounded = 0;
    for (let turn = 0; turn < 200; turn++) {
      const query = drawn();
      const options: SearchOptions = {
        algorithm: ALGORITHMS[turn % 3]!,
        limit: [1, 10, 100][turn % 3]!,
        filter: filters[turn % 4],
      };
      const exact = index.search(query, options);
      for (const totals of ['bounded', 'none'] as const) {
        const found = index.search(query, { ...options, totals });
        expect(found.hits).toEqual(exact.hits);
        if (found.isLowerBound !== true) expect(found).toEqual(exact);
        else if (totals === 'bounded') expect(found.total).toBeGreaterThanOrEqual(Math.min(exact.total, BOUND));
        expect(found.total).toBeLessThanOrEqual(exact.total);
        if (found.isLowerBound) bounded++;
      }
    }
    expect(bounded).toBeGreaterThan(100);
  });

  it('counts exactly what a search needs all matches for', () => {
    const query: Query = { kind: 'or', of: [term('the'), term('rarea')] };
    const exact = index.search(query, { algorithm: { kind: 'bm25' }, limit: 5 });
    const needs: readonly Partial<SearchOptions>[] = [{ collect: true }, { scoresOf: [1] }, {
      multipliers: new Float32Array(DOCUMENTS).fill(1),
    }];
    for (const more of needs) {
      const found = index.search(query, { algorithm: { kind: 'bm25' }, limit: 5, totals: 'none', ...more });
      expect(found).toMatchObject({ total: exact.total, hits: exact.hits });
      expect(found.isLowerBound).toBeUndefined();
    }
    const all: Query = { kind: 'and', of: [term('the'), term('of')] };
    expect(index.search(all, { algorithm: { kind: 'bm25' }, limit: 5, totals: 'bounded' })).toEqual(
      index.search(all, { algorithm: { kind: 'bm25' }, limit: 5 }),
    );
  });
});
