import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formsOf } from '../../../text/tokenize.ts';
import { type Bag, centralities, isDecisionWord, keyPoints, overlap, selectBest, type Sentence,
  Vocabulary } from './key-points.ts';

const word = fc.constantFrom('ship', 'order', 'refund', 'blue', 'paris', 'hotel', 'train', '7', 'agreed', 'the', 'of');
const words = fc.array(word, { minLength: 1, maxLength: 6 });
const texts = fc.array(words.map((list) => list.join(' ')), { minLength: 1, maxLength: 60 });

/** TF-IDF vectors and every cosine, by the definition. */
function slowCentralities(sentences: readonly string[]): number[] {
  const bags = sentences.map(formsOf);
  const frequency = (term: string) => bags.filter((bag) => bag.includes(term)).length;
  const vectors = bags.map((bag) =>
    new Map(
      [...new Set(bag)].map((term) => [term, bag.filter((other) =>
        other === term
      ).length * Math.log(1 + bags.length / frequency(term))]),
    )
  );
  const dot = (a: Map<string, number>, b: Map<string, number>) =>
    [...a].reduce((sum, [term, weight]) => sum + weight * (b.get(term) ?? 0), 0);
  return vectors.map((a) =>
    vectors.reduce((sum, b) => sum + dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)), 0) / vectors.length
  );
}

function slowSelection(bags: readonly Bag[], given: readonly number[], wanted: number): number[] {
  const scores = [...given];
  const halved = new Set<number>();
  const chosen: number[] = [];
  while (chosen.length < Math.min(wanted, bags.length)) {
    const left = scores.map((_, i) => i).filter((i) => !chosen.includes(i));
    const best = left.reduce((top, i) => (scores[i]! > scores[top]! ? i : top));
    if (!halved.has(best) && chosen.some((other) => overlap(bags[best]!, bags[other]!) > 0.6)) {
      halved.add(best);
      scores[best]! /= 2;
    } else chosen.push(best);
  }
  return chosen;
}

const bagsOf = (sentences: readonly string[]) => {
  const vocabulary = new Vocabulary();
  return { vocabulary, bags: sentences.map((text) => vocabulary.add(formsOf(text))) };
};
const pointsOf = async (sentences: readonly string[], firsts = 0) =>
  (await keyPoints(sentences.map((text, i): Sentence => ({ text, first: i < firsts })))).map(({ text }) => text);

describe('key points (decisions section 4.7)', () => {
  it('rank by the mean cosine of TF-IDF vectors', async () => {
    await fc.assert(fc.asyncProperty(texts, async (sentences) => {
      const { bags, vocabulary } = bagsOf(sentences);
      const scores = await centralities(bags, vocabulary);
      for (const [i, score] of slowCentralities(sentences).entries()) expect(scores[i]).toBeCloseTo(score, 10);
    }));
  });

  it('are the best, where what nearly repeats a better one counts half', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 60, maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }), async (sentences, grades, wanted) => {
        const { bags } = bagsOf(sentences);
        const scores = grades.slice(0, sentences.length);
        expect(await selectBest(bags, Float64Array.from(scores), wanted)).toEqual(slowSelection(bags, scores, wanted));
      }),
    );
  });

  it('are a tenth of the sentences, at least 3 and at most 7, in their order', async () => {
    for (const [count, points] of [[1, 1], [2, 2], [3, 3], [30, 3], [31, 4], [60, 6], [61, 7], [500, 7]] as const) {
      const sentences = Array.from({ length: count }, (_, i) => `sentence number ${i} of topic ${i % 13}`);
      const chosen = await pointsOf(sentences);
      expect(chosen, `${count}`).toHaveLength(points);
      expect(chosen).toEqual(sentences.filter((text) => chosen.includes(text)));
    }
    expect(await pointsOf([])).toEqual([]);
  });

  it('prefer the first turn by a tenth, and numbers and decisions by 15 percent', async () => {
    const rest = ['red fox', 'green cat', 'blue dog', 'grey owl'];
    expect(await pointsOf(rest, 0)).toEqual(rest.slice(0, 3));
    expect(await pointsOf([...rest, 'pink bee 7'], 0)).toContain('pink bee 7');
    expect(await pointsOf([...rest, 'agreed bee'], 0)).toContain('agreed bee');
    // 1.1 < 1.15: with three selected, those with numbers come before the first turn, and that before the rest.
    expect(await pointsOf(['red fox', 'green cat', 'blue 1', 'grey 2'], 1)).toEqual(['red fox', 'blue 1', 'grey 2']);
  });

  it('are always the same', async () => {
    await fc.assert(fc.asyncProperty(texts, async (sentences) => {
      expect(await pointsOf(sentences, 1)).toEqual(await pointsOf(sentences, 1));
    }), { numRuns: 20 });
  });

  it('know words that settle something in many languages', () => {
    for (const form of ['agreed', 'beschlossen', 'décidé', 'reservado', 'решили', 'karar', 'يجب', 'päätös'])
      expect(isDecisionWord(form), form).toBe(true);
    for (const form of ['the', 'hello', 'und', '']) expect(isDecisionWord(form), form).toBe(false);
  });
});
