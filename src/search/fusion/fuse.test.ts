import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fittedAlpha, fuse, type Fusion, type MeaningHit, WEIGHTS, type WordsHit } from './fuse.ts';

const scores = fc.oneof(fc.constantFrom(0, 0.25, 0.5, 1), fc.float({ min: -1, max: 8, noNaN: true }));
const wordsHits = fc.uniqueArray(fc.record({ ord: fc.nat(12), score: scores.map(Math.abs) }), {
  selector: ({ ord }) => ord,
});
const meaningHits = fc.uniqueArray(fc.record({ ord: fc.nat(12), chunk: fc.nat(2), score: scores }), {
  selector: ({ ord, chunk }) => `${ord} ${chunk}`,
});
const fusions: fc.Arbitrary<Fusion> = fc.oneof(fc.record({
  strategy: fc.constant('alpha' as const),
  alpha: fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true })),
}), fc.record({ strategy: fc.constant('rrf' as const), k: fc.integer({ min: 1, max: 100 }) }));

interface Expected {
  readonly ord: number;
  readonly chunk: number | undefined;
  readonly score: number;
}

/** Follows the definition: counts every rank and looks up every score. */
function slowly(words: readonly WordsHit[], meaning: readonly MeaningHit[], fusion: Fusion): Expected[] {
  const best = Math.max(0, ...words.map(({ score }) => score));
  const most = Math.max(1, ...meaning.map(({ score }) => score));
  const wordsRank = (ord: number): number => {
    const own = words.find((hit) => hit.ord === ord)!;
    return 1 + words.filter((hit) => hit.score > own.score || (hit.score === own.score && hit.ord < ord)).length;
  };
  const meaningRank = (own: MeaningHit): number =>
    1 +
    meaning.filter((hit) =>
      hit.score > own.score ||
      (hit.score === own.score && (hit.ord < own.ord || (hit.ord === own.ord && hit.chunk < own.chunk)))
    ).length;
  const places = [...meaning, ...words.filter(({ ord }) => meaning.every((hit) => hit.ord !== ord)).map(({ ord }) => ({
    ord,
    chunk: undefined,
  }))];
  return places.flatMap(({ ord, chunk }) => {
    const w = words.find((hit) => hit.ord === ord);
    const m = meaning.find((hit) => hit.ord === ord && hit.chunk === chunk);
    if (fusion.strategy === 'rrf')
      return [{
        ord,
        chunk,
        score: (w ? 1 / (fusion.k + wordsRank(ord)) : 0) + (m ? 1 / (fusion.k + meaningRank(m)) : 0),
      }];
    if (fusion.alpha === 0 && !w || fusion.alpha === 1 && !m) return [];
    return [{
      ord,
      chunk,
      score: (1 - fusion.alpha) * (w && best > 0 ? w.score / best : 0) +
        fusion.alpha * (m ? Math.max(0, m.score) / most : 0),
    }];
  });
}

const nameOf = ({ ord, chunk }: Omit<Expected, 'score'>): string => `${ord} ${chunk ?? '-'}`;

describe('fuse', () => {
  it('finds what a slow reference finds, with the same scores', () => {
    fc.assert(fc.property(wordsHits, meaningHits, fusions, (words, meaning, fusion) => {
      const fused = fuse(words, meaning, fusion);
      const expected = new Map(slowly(words, meaning, fusion).map((hit) => [nameOf(hit), hit.score]));
      expect(fused.map(nameOf).sort()).toEqual([...expected.keys()].sort());
      for (const hit of fused) expect(Math.abs(hit.score - expected.get(nameOf(hit))!)).toBeLessThan(1e-6);
    }));
  });

  it('is best first, and ties are in the order of documents and passages', () => {
    fc.assert(fc.property(wordsHits, meaningHits, fusions, (words, meaning, fusion) => {
      const fused = fuse(words, meaning, fusion);
      for (const [i, hit] of fused.slice(1).entries()) {
        const before = fused[i]!;
        expect(before.score).toBeGreaterThanOrEqual(hit.score);
        if (before.score === hit.score)
          expect(before.ord < hit.ord || (before.ord === hit.ord && before.chunk! < hit.chunk!)).toBe(true);
      }
    }));
  });

  it('does not depend on the order in which hits come', () => {
    fc.assert(fc.property(wordsHits, meaningHits, fusions, (words, meaning, fusion) => {
      expect(fuse(words.toReversed(), meaning.toReversed(), fusion)).toEqual(fuse(words, meaning, fusion));
    }));
  });

  it('says components from 0 to 1, of which the score can be computed', () => {
    fc.assert(fc.property(wordsHits, meaningHits, fusions, (words, meaning, fusion) => {
      for (const { words: w, meaning: m, score } of fuse(words, meaning, fusion)) {
        for (const component of [w, m])
          if (component !== undefined) expect(component.score >= 0 && component.score <= 1).toBe(true);
        const computed = fusion.strategy === 'rrf'
          ? (w ? 1 / (fusion.k + w.rank) : 0) + (m ? 1 / (fusion.k + m.rank) : 0)
          : (1 - fusion.alpha) * (w?.score ?? 0) + fusion.alpha * (m?.score ?? 0);
        expect(score).toBe(computed);
      }
    }));
  });

  it('counts a negative similarity as 0, and leaves cosines as they are', () => {
    const fused = fuse([{ ord: 1, score: 4 }, { ord: 2, score: 1 }], [{ ord: 1, chunk: 0, score: -0.5 }, {
      ord: 3,
      chunk: 0,
      score: 0.6,
    }], { strategy: 'alpha', alpha: 0.5 });
    expect(fused.map(({ ord, score }) => ({ ord, score }))).toEqual([{ ord: 1, score: 0.5 }, { ord: 3, score: 0.3 }, {
      ord: 2,
      score: 0.125,
    }]);
  });
});

const order = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 });

describe('the weight of meaning where nobody names one', () => {
  it('is greater where the best of both sides have nothing in common', () => {
    const ten = Array.from({ length: 10 }, (_, i) => i);
    expect(fittedAlpha(ten, [100, 9])).toBe(WEIGHTS.agreed);
    expect(fittedAlpha(ten, [100, 101])).toBe(WEIGHTS.disagreed);
    expect(fittedAlpha([...ten, 100], [100, 101])).toBe(WEIGHTS.disagreed);
    expect(fittedAlpha([], [1])).toBe(WEIGHTS.disagreed);
    expect(WEIGHTS.disagreed).toBeGreaterThan(WEIGHTS.agreed);
  });

  it('is the same from either side, and looks at the best ten documents of each, however many passages they have', () => {
    fc.assert(fc.property(order, order, (words, meaning) => {
      const alpha = fittedAlpha(words, meaning);
      expect(fittedAlpha(meaning, words)).toBe(alpha);
      const [a, b] = [words, meaning].map((ords) => ords.filter((ord, i) => ords.indexOf(ord) === i).slice(0, 10)) as [
        number[],
        number[],
      ];
      expect(alpha).toBe(a.some((ord) => b.includes(ord)) ? WEIGHTS.agreed : WEIGHTS.disagreed);
    }));
  });
});
