import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixSeconds } from '../../../lib/clock.ts';
import { VectorFixture } from '../test-fixture.ts';

const WORDS = ['red', 'blue', 'apples', 'whales', 'tea', 'trees', 'honey'];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 6, maxLength: 9 }).map((list) => list.join(' '));
const body = fc.array(words, { minLength: 1, maxLength: 4 }).map((paragraphs) => paragraphs.join('\n\n'));
const key = fc.constantFrom('a', 'b', 'd', 'e', 'f', 'g');
const kind = fc.constantFrom('x', 'y');

const step = fc.oneof({
  weight: 6,
  arbitrary: fc.record({ add: key, body, kind, ttl: fc.constantFrom(undefined, undefined, 50) }),
}, { weight: 1, arbitrary: fc.record({ refuse: key, body }) }, { weight: 1, arbitrary: fc.record({ remove: key }) }, {
  weight: 1,
  arbitrary: fc.record({ wait: fc.constantFrom(10, 30) }),
}, {
  weight: 5,
  arbitrary: fc.record({
    query: words,
    mode: fc.constantFrom('parent', 'chunk', 'window'),
    topK: fc.integer({ min: 1, max: 8 }),
    threshold: fc.constantFrom(0, 0.5),
    filter: fc.option(kind, { nil: undefined }),
    metric: fc.constantFrom('cosine', 'dot_product', 'euclidean'),
    algorithm: fc.constantFrom('flat', 'hnsw', 'sq'),
  }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Query = Extract<Step, { query: string }>;

/** A document as a brute-force search sees it. */
interface Kept {
  body: string;
  kind: string;
  expiresAt: number;
  /** The body that its vectors were made of, and its chunks. */
  embedded: string | undefined;
  chunks: { text: string; vector: number[] }[];
}

class Model {
  readonly fixture: VectorFixture;
  readonly documents = new Map<string, Kept>();

  constructor(fixture: VectorFixture) {
    this.fixture = fixture;
  }

  async run(each: Step): Promise<void> {
    const { fixture } = this;
    this.#expire();
    if ('wait' in each) return fixture.advance(each.wait);
    if ('query' in each) return this.compare(each);
    if ('remove' in each) {
      if (!this.documents.delete(each.remove)) return;
      await fixture.call('deleteDocument', { collection: 'c', key: each.remove, lang: 'en' });
    } else if ('refuse' in each) {
      const before = this.documents.get(each.refuse);
      const refused = `${each.body} refused`;
      await fixture.addUnembedded(each.refuse, refused);
      this.documents.set(each.refuse, {
        ...(before ?? { embedded: undefined, chunks: [], expiresAt: Infinity }),
        body: refused,
        kind: '',
      });
    } else {
      await fixture.add(each.add, each.body, {
        meta: { kind: [each.kind] },
        ...(each.ttl !== undefined && { ttl: each.ttl }),
      });
      // A document that is written without a time to live keeps its present one.
      const expiresAt = each.ttl === undefined
        ? (this.documents.get(each.add)?.expiresAt ?? Infinity)
        : this.#now + each.ttl;
      const chunks = fixture.embeddings.of('').chunksOf({ key: each.add, meta: {}, contentMd: each.body }).map((
        { text },
      ) => ({
        text,
        vector: fixture.meaning.vectorOf(text),
      }));
      this.documents.set(each.add, { body: each.body, kind: each.kind, expiresAt, embedded: each.body, chunks });
    }
  }

  async compare({ query, mode, topK, threshold, filter, metric, algorithm }: Query): Promise<void> {
    const answer = await this.fixture.find(query, {
      retrievalMode: mode,
      topK,
      threshold,
      distanceMetric: metric,
      algorithm,
      ...(filter && { filterMeta: { kind: [filter] } }),
    });
    const vector = this.fixture.meaning.vectorOf(query);
    const scored = [...this.documents].filter(([, { kind: of }]) => filter === undefined || of === filter).flatMap((
      [of, { body: text, embedded, chunks }],
    ) => (mode !== 'parent' && embedded !== text
      ? []
      : chunks.map((chunk, i) => ({ key: of, chunk: i, text: chunk.text, score: score(vector, chunk.vector, metric) })))
    );
    const passing = scored.filter((each) => each.score >= threshold - 1e-6).sort((a, b) => b.score - a.score);
    for (const { document, score: said, chunkIndex, chunkText } of answer.results) {
      const own = scored.filter((each) => each.key === document.key);
      if (mode === 'parent') expect(said).toBeCloseTo(Math.max(...own.map((each) => each.score)), 5);
      else expect(chunkText).toContain(own[chunkIndex!]!.text);
    }
    if (mode === 'window') return;
    const best = mode === 'chunk'
      ? passing
      : passing.filter((each, i) => passing.findIndex((other) => other.key === each.key) === i);
    expect(answer.results.map((each) => each.score)).toEqual(
      best.slice(0, topK).map((each) => expect.closeTo(each.score, 5) as number),
    );
  }

  get #now(): number {
    return unixSeconds(this.fixture.environment.clock);
  }

  #expire(): void {
    for (const [name, { expiresAt }] of this.documents) if (expiresAt <= this.#now) this.documents.delete(name);
  }
}

function score(a: readonly number[], b: readonly number[], metric: Query['metric']): number {
  const dot = a.reduce((sum, number, i) => sum + number * b[i]!, 0);
  if (metric === 'dot_product') return dot;
  if (metric === 'euclidean') return 1 / (1 + Math.hypot(...a.map((number, i) => number - b[i]!)));
  return dot / (Math.hypot(...a) * Math.hypot(...b));
}

describe('vector search', () => {
  it('finds what looking at every vector finds, whatever was written before', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
      const fixture = await VectorFixture.open();
      try {
        const model = new Model(fixture);
        for (const each of steps) await model.run(each);
      } finally {
        await fixture.close();
      }
    }), { numRuns: 8 });
  });
});
