import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { balanced, fuse, type Fusion, type MeaningHit, shareOfMeaning, SHARES, type WordsHit } from './fuse.ts';

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
  floors: fc.option(fc.record({ words: fc.constantFrom(0, 0.25, 0.6), meaning: fc.constantFrom(0, 0.25, 0.6) }), {
    nil: undefined,
  }),
}, { requiredKeys: ['strategy', 'alpha'] }),
  fc.record({ strategy: fc.constant('rrf' as const), k: fc.integer({ min: 1, max: 100 }) }));

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
    const [lexical, similarity] = [w && best > 0 ? w.score / best : 0, m ? Math.max(0, m.score) / most : 0];
    return [{
      ord,
      chunk,
      score: (1 - fusion.alpha) * Math.max(lexical, fusion.floors?.words ?? 0) +
        fusion.alpha * Math.max(similarity, fusion.floors?.meaning ?? 0),
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
          : (1 - fusion.alpha) * Math.max(w?.score ?? 0, fusion.floors?.words ?? 0) +
            fusion.alpha * Math.max(m?.score ?? 0, fusion.floors?.meaning ?? 0);
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

const wordsOf = (ords: readonly number[]): WordsHit[] => ords.map((ord, i) => ({ ord, score: 1 / (i + 9) }));
const meaningOf = (ords: readonly number[]): MeaningHit[] => wordsOf(ords).map((hit, chunk) => ({ ...hit, chunk }));
const many = { queryWords: 7, matchedWords: 7 };

describe('the share of meaning where nobody names a weight', () => {
  it('is greater where the best of both sides have nothing in common, and for few words', () => {
    const ten = Array.from({ length: 10 }, (_, i) => i);
    const share = (words: readonly number[], meaning: readonly number[], queryWords: number | undefined = 7): number =>
      shareOfMeaning(wordsOf(words), meaningOf(meaning), { queryWords, matchedWords: 7 });
    expect(share(ten, [100, 9])).toBe(SHARES.usual);
    expect(share(ten, [100, 101])).toBe(SHARES.greater);
    expect(share([...ten, 100], [100, 101])).toBe(SHARES.greater);
    expect(share([], [1])).toBe(SHARES.greater);
    expect(share(ten, ten, 4)).toBe(SHARES.greater);
    expect(share(ten, ten, 5)).toBe(SHARES.usual);
    expect(shareOfMeaning(wordsOf(ten), meaningOf(ten), { queryWords: undefined, matchedWords: 0 })).toBe(SHARES.usual);
    expect(SHARES.greater).toBeGreaterThan(SHARES.usual);
  });

  it('is smaller where one document fits the words much better than all others', () => {
    const share = (second: number): number =>
      shareOfMeaning([{ ord: 1, score: 2 }, { ord: 2, score: second }], meaningOf([5]), {
        queryWords: 1,
        matchedWords: 1,
      });
    expect(share(1)).toBe(SHARES.smaller);
    expect(share(1.1)).toBe(SHARES.greater);
    expect(SHARES.smaller).toBeLessThan(SHARES.usual);
  });

  it('is greatest where even the best by words has hardly any of them, however much it stands out', () => {
    const share = (queryWords: number, matchedWords: number): number =>
      shareOfMeaning([{ ord: 1, score: 9 }, { ord: 2, score: 1 }], meaningOf([1]), { queryWords, matchedWords });
    expect(share(9, 2)).toBe(SHARES.unmatched);
    expect(share(8, 2)).toBe(SHARES.smaller);
    expect(SHARES.unmatched).toBeGreaterThan(SHARES.greater);
  });

  it('looks at the best ten documents of each side, however many passages they have', () => {
    const order = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 });
    fc.assert(fc.property(order, order, (words, meaning) => {
      const [a, b] = [words, meaning].map((ords) => ords.filter((ord, i) => ords.indexOf(ord) === i).slice(0, 10)) as [
        number[],
        number[],
      ];
      expect(shareOfMeaning(wordsOf(words), meaningOf(meaning), many)).toBe(
        a.some((ord) => b.includes(ord)) ? SHARES.usual : SHARES.greater,
      );
    }));
  });
});

describe('balanced weights', () => {
  const fused = (words: readonly WordsHit[], meaning: readonly MeaningHit[], share = 0.5) =>
    fuse(words, meaning, { strategy: 'alpha', ...balanced(words, meaning, share) });
  const [lexical, near] = [Array.from({ length: 30 }, (_, i): WordsHit => ({ ord: i, score: 30 - i })),
    Array.from({ length: 30 }, (_, i): MeaningHit => ({ ord: 100 + i, chunk: 0, score: 0.8 - i / 100 }))];

  it('rank in the same order whatever scale the scores of a side have', () => {
    const small = near.map((hit) => ({ ...hit, score: hit.score / 3 }));
    const large = lexical.map((hit) => ({ ...hit, score: hit.score * 1000 }));
    const ords = fused(lexical, near).map(({ ord }) => ord);
    expect(fused(lexical, small).map(({ ord }) => ord)).toEqual(ords);
    expect(fused(large, near).map(({ ord }) => ord)).toEqual(ords);
  });

  it('let the side decide whose first stands out', () => {
    const outstanding = [{ ord: 500, chunk: 0, score: 0.95 }, ...near];
    expect(fused(lexical, outstanding)[0]!.ord).toBe(500);
    expect(fused([{ ord: 600, score: 300 }, ...lexical], near)[0]!.ord).toBe(600);
  });

  it('count what a side does not know as what it finds least', () => {
    fc.assert(
      fc.property(wordsHits, meaningHits, fc.double({ min: 0.05, max: 0.95, noNaN: true }), (words, meaning, share) => {
        const { alpha, floors } = balanced(words, meaning, share);
        if (words.length === 0 || meaning.length === 0) {
          expect({ alpha, floors }).toEqual({ alpha: meaning.length === 0 ? 0 : 1, floors: undefined });
          return;
        }
        expect(alpha > 0 && alpha < 1).toBe(true);
        for (const floor of [floors!.words, floors!.meaning]) expect(floor >= 0 && floor <= 1).toBe(true);
        const least = (1 - alpha) * floors!.words + alpha * floors!.meaning;
        for (const { score } of fused(words, meaning, share)) {
          expect(score).toBeGreaterThanOrEqual(least);
          expect(score).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });

  it('find a document with the one rare word among similar ones', () => {
    expect(fused([{ ord: 7, score: 3 }], near)[0]!.ord).toBe(7);
  });
});
