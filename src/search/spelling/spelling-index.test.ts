import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SpellingIndex } from './spelling-index.ts';

/** Optimal string alignment, computed by its definition. */
function distanceBetween(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 },
    (_, i) => Array.from({ length: b.length + 1 }, (_unused, j) => (i === 0 ? j : j === 0 ? i : 0)));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const options = [table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) options.push(table[i - 2]![j - 2]! + 1);
      table[i]![j] = Math.min(...options);
    }
  }
  return table[a.length]![b.length]!;
}

/** Few letters, so that many words are similar; some words are longer than the part whose deletions are listed. */
const words = fc.oneof(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 2, maxLength: 6 }),
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', '𝄞'), minLength: 7, maxLength: 12 }).filter((word) =>
    word.length <= 40
  ));

describe('SpellingIndex', () => {
  it('finds the words within two edits that share a letter, the nearest and most frequent first', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(words, fc.integer({ min: 0, max: 5 })), { maxLength: 80, size: 'max' }), words,
        fc.constantFrom(1 as const, 2 as const), (entries, word, edits) => {
        const index = new SpellingIndex();
        const known = new Map<string, number>();
        for (const [each, frequency] of entries) {
          index.put(each, frequency);
          known.set(each, frequency);
        }
        const expected = [...known].filter(([, frequency]) => frequency > 0).map(([other, frequency]) => ({
          word: other,
          frequency,
          edits: distanceBetween(word, other),
        })).filter((one) => one.edits > 0 && one.edits <= edits);
        // Two-letter words that differ in both letters share only the empty deletion.
        const isReachable = (other: string): boolean =>
          Math.min(word.length, other.length) > 2 || [...word].some((letter) => other.includes(letter));
        const found = index.near(word, { edits, limit: 1000 });
        expect(new Set(found.map((one) => one.word))).toEqual(new Set(expected.filter((one) =>
          isReachable(one.word)
        ).map((one) => one.word)));
        expect(found).toEqual([...found].sort((a, b) =>
          a.edits - b.edits || b.frequency - a.frequency ||
          Number(b.word[0] === word[0]) - Number(a.word[0] === word[0]) || (a.word < b.word ? -1 : 1)
        ));
        for (const { word: other, edits: distance, frequency } of found)
          expect([distance, frequency]).toEqual([distanceBetween(word, other), known.get(other)]);
        for (const [other, frequency] of known)
          expect(index.frequencyOf(other)).toBe(frequency);
      }),
      { numRuns: 200 },
    );
  });

  it('keeps to the best, and looks two edits away where nearer words are too few', () => {
    const index = new SpellingIndex();
    for (const [word, frequency] of [['markdown', 9], ['markdowns', 2], ['markup', 5], ['market', 7]] as const)
      index.put(word, frequency);
    expect(index.near('markdwon', { limit: 5 })).toEqual([{ word: 'markdown', edits: 1, frequency: 9 }, {
      word: 'markdowns',
      edits: 2,
      frequency: 2,
    }]);
    expect(index.near('markdwon', { limit: 1 })).toEqual([{ word: 'markdown', edits: 1, frequency: 9 }]);
    expect(index.near('markdwon', { edits: 1, limit: 5 })).toHaveLength(1);
    expect([index.near('', { limit: 5 }), index.near('x'.repeat(41), { limit: 5 })]).toEqual([[], []]);
  });

  it('frees blocks that are not used again in a round, and reuses them', () => {
    const index = new SpellingIndex();
    index.put('apple', 1);
    index.put('pear', 1);
    index.beginRound();
    index.put('pear', 2);
    index.endRound();
    expect([index.frequencyOf('apple'), index.frequencyOf('pear'), index.near('appel', { limit: 1 })]).toEqual([0, 2,
      []]);
    index.put('apple', 3);
    expect(index.near('appel', { limit: 1 })).toEqual([{ word: 'apple', edits: 1, frequency: 3 }]);
    expect(index.words).toBe(2);
  });

  it('grows past every one of its arrays', () => {
    const index = new SpellingIndex();
    const { bytes } = index;
    const word = (i: number): string => `w${i.toString(26).padStart(5, 'q')}${'xyz'.repeat(i % 6)}`;
    for (let i = 0; i < 5000; i++) index.put(word(i), i + 1);
    expect(index.bytes).toBeGreaterThan(bytes);
    for (let i = 0; i < 5000; i += 7) expect(index.frequencyOf(word(i))).toBe(i + 1);
    expect(index.near(`${word(4321)}q`, { limit: 1 })).toMatchObject([{ word: word(4321) }]);
  });
});
