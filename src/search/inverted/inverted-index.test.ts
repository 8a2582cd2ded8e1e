import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScoringAlgorithm } from './algorithm.ts';
import { InvertedIndex } from './index.ts';
import { ReferenceIndex, type WordQuery } from '../../testkit/inverted/reference.ts';
import { algorithm, expectSame, known, query, step, take, WORDS } from '../../testkit/inverted/cases.ts';

describe.each(['release', 'debug'] as const)('the %s build', (build) => {
  it('finds and scores as the reference does, whatever was added, replaced, removed, compacted and reloaded', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }), fc.array(fc.tuple(query, algorithm), { minLength: 3, maxLength: 3 }), fc.nat(5), async (steps, queries, limit) => {
      let index = new InvertedIndex({ build, compactionStep: 3 });
      const reference = new ReferenceIndex();
      for (const next of steps) index = await take(index, reference, next, build);
      for (const [words, by] of queries) expectSame(index, words, reference.search(known(index, words), by), by, limit);
      for (const [form, count] of reference.documentsByForm()) expect(index.documents(index.form(form)!)).toBe(count);
      for (const [form, count] of reference.documentsByForm(1)) expect(index.documents(index.form(form)!, 1)).toBe(count);
      expect(index.stats().documents).toBe(reference.size);
    }), { numRuns: 120 });
  });

  it('does so for forms of many blocks, while a compaction is under way', () => {
    const index = new InvertedIndex({ build, compactionStep: 1 });
    const reference = new ReferenceIndex();
    const random = generator(build === 'debug' ? 1 : 2);
    const write = (ord: number) => {
      const fields = randomFields(random);
      index.add(ord, fields);
      reference.add(ord, fields);
    };
    const remove = (ord: number) => expect(index.remove(ord)).toBe(reference.remove(ord));
    const check = () => {
      for (const [words, by] of BLOCK_QUERIES) expectSame(index, words, reference.search(words, by), by, 20);
      for (const [form, count] of reference.documentsByForm(2)) expect(index.documents(index.form(form)!, 2)).toBe(count);
    };
    for (let ord = 0; ord < 4500; ord++) write(ord);
    check();
    for (let i = 0; i < 1300; i++) remove(i * 2 + (i % 7));
    check();
    let steps = 1;
    for (; index.compact(0, true, () => 0); steps++) {
      write(Math.floor(random() * 4700));
      remove(Math.floor(random() * 4500));
      if (steps % 3 === 1) check();
    }
    check();
    expect(steps).toBeGreaterThan(8);
    while (index.compact(1000));
    check();
    expect(index.stats().deleted).toBe(0);
  });
});

/** mulberry32 */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A text of up to seven words, the first of which are the most frequent, and now and then other fields. */
function randomFields(random: () => number): { field: number; text: string }[] {
  const text = (words: number) => Array.from({ length: words }, () => WORDS[Math.floor(WORDS.length * random() ** 2)]).join(' ');
  const content = { field: 0, text: text(Math.floor(7 * random())) };
  return random() < 0.7 ? [content] : [content, { field: 1 + Math.floor(5 * random()), text: text(3) }];
}

const term = (...forms: string[]): WordQuery => ({ kind: 'term', words: forms.map((form) => ({ form })) });
const [ant, bee, dog, the] = ['ant', 'bee', 'dog', 'the'] as const;
const BLOCK_QUERIES: readonly (readonly [WordQuery, ScoringAlgorithm])[] = [
  [{ kind: 'or', of: [term(ant), term(dog), term(the)] }, { kind: 'bm25' }],
  [{ kind: 'and', of: [term(ant), term(the), { kind: 'not', of: term(bee, dog) }] }, { kind: 'tfidf', fields: [0, 3] }],
  [{ kind: 'phrase', words: [{ words: [{ form: ant }], offset: 0 }, { words: [{ form: bee }, { form: dog }], offset: 1 }] }, { kind: 'bm25f', weights: [1, 3, 0, 2] }],
  [{ kind: 'phrase', words: [{ words: [{ form: the }], offset: 0 }, { words: [{ form: ant }], offset: 1 }], slop: 3 }, { kind: 'bm25' }],
];
