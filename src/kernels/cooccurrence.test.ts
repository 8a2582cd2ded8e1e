import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CooccurrenceTwin } from '../testkit/cooccurrence/twin.ts';
import { CooccurrenceKernel, MAX_SLOTS, MAX_TERMS, type PairCounter } from './cooccurrence.ts';

const TERMS = 40;
const NOTHING = { best: [], largest: 0 };

/** Texts of a few terms with gaps, so that pairs are repeated; some are slightly longer than the window. */
const document = fc.array(fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 1, max: 12 }) }, {
  weight: 3,
  arbitrary: fc.integer({ min: 1, max: TERMS - 1 }),
}, fc.constant(0)), { maxLength: 60, size: 'max' }).map((tokens) => Uint32Array.from(tokens));
const step = fc.oneof({ weight: 8, arbitrary: document.map((tokens) => ({ tokens })) },
  fc.integer({ min: 0, max: 4 }).map((occurrences) => ({ occurrences })));
const corpus = fc.array(step, { maxLength: 25, size: 'max' });

function neighbours(counter: PairCounter): unknown {
  counter.rank(TERMS);
  return Array.from({ length: TERMS - 1 }, (_, i) => counter.neighboursOf(i + 1));
}

describe.each(['release', 'debug'] as const)('counting pairs, %s build', (build) => {
  const both = (
    maxSlots = MAX_SLOTS,
  ): [CooccurrenceKernel, CooccurrenceTwin] => [new CooccurrenceKernel({ build, maxSlots }),
    new CooccurrenceTwin(maxSlots)];

  it('finds the neighbours that its twin finds, with every size of the table', () => {
    fc.assert(fc.property(corpus, fc.constantFrom(16, 32, 64, 256, 4096), (steps, maxSlots) => {
      const [kernel, twin] = both(maxSlots);
      for (const one of steps) {
        if ('tokens' in one) {
          kernel.add(one.tokens);
          twin.add(one.tokens);
        } else expect(kernel.forget(TERMS, one.occurrences)).toEqual(twin.forget(TERMS, one.occurrences));
      }
      expect(neighbours(kernel)).toEqual(neighbours(twin));
    }), { numRuns: build === 'debug' ? 60 : 150 });
  });

  it('goes on with the window where a document is longer than the room for tokens', () => {
    const tokens = Uint32Array.from({ length: 2 * 65_536 + 7 }, (_, i) => 1 + ((i * i) % 37));
    const [kernel, twin] = both();
    for (const length of [65_535, 65_536, 65_537, tokens.length]) {
      kernel.add(tokens.subarray(0, length));
      twin.add(tokens.subarray(0, length));
    }
    expect(neighbours(kernel)).toEqual(neighbours(twin));
  });

  it('grows its table past several doublings', () => {
    const [kernel, twin] = both();
    const tokens = Uint32Array.from({ length: 20_000 }, (_, i) => 1 + ((Math.imul(i, 2_654_435_761) >>> 8) % 900));
    for (let i = 0; i < 2; i++) {
      kernel.add(tokens);
      twin.add(tokens);
    }
    kernel.rank(901);
    for (const term of [1, 2, 450, 900]) expect(kernel.neighboursOf(term)).toEqual(twin.neighboursOf(term));
  });

  it('takes the largest number of a term, and gives none to what never came', () => {
    const kernel = new CooccurrenceKernel({ build });
    const last = MAX_TERMS - 1;
    for (let i = 0; i < 2; i++) kernel.add(Uint32Array.of(last, 1, 0, 0, 0, 0, 2));
    kernel.rank(MAX_TERMS);
    expect(kernel.neighboursOf(last)).toEqual({ best: [{ term: 1, ratio: 2 }], largest: 2 });
    expect(kernel.neighboursOf(2)).toEqual(NOTHING);
    expect(kernel.neighboursOf(3)).toEqual(NOTHING);
  });

  it('has no neighbours in nothing', () => {
    const kernel = new CooccurrenceKernel({ build });
    kernel.add(new Uint32Array());
    kernel.rank(1);
    expect(kernel.neighboursOf(1)).toEqual(NOTHING);
  });
});
