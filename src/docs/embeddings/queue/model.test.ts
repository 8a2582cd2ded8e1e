import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddingError } from '../../../embedding/index.ts';
import { EmbeddingFixture, Script, vectorOf } from '../../../testkit/embedding-fixture.ts';

const KEYS = ['a', 'b', 'c', 'd'];
const key = fc.constantFrom(...KEYS);
const text = fc.constantFrom('one', 'two', 'three', ' ');
const step = fc.oneof({ weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), key, text }) }, {
  weight: 1,
  arbitrary: fc.record({
    do: fc.constantFrom('skip' as const, 'meta' as const, 'delete' as const, 'code' as const),
    key,
    text,
  }),
}, {
  weight: 1,
  arbitrary: fc.record({
    do: fc.constantFrom('down' as const, 'up' as const, 'settle' as const, 'crash' as const, 'restart' as const,
      'reindex' as const),
    key,
    text,
  }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Any history of writes, failures and crashes. */
class History {
  fixture: EmbeddingFixture;
  readonly #script: Script;
  readonly #queueSize: number;
  #isDown = false;

  constructor(fixture: EmbeddingFixture, script: Script, queueSize: number) {
    this.fixture = fixture;
    this.#script = script;
    this.#queueSize = queueSize;
    script.failure = () => (this.#isDown ? new EmbeddingError('down', { retryable: true }) : undefined);
  }

  async run({ do: action, key, text }: Step): Promise<void> {
    const named = { collection: 'blog', key, lang: 'en' };
    const { fixture } = this;
    const ifThere = (change: Promise<unknown>) =>
      change.catch((error: { code?: string }) => expect(error.code).toBe('not_found'));
    switch (action) {
      case 'add':
        return void (await fixture.add(key, text));
      case 'skip':
        return void (await fixture.call('ingestDocuments', {
          collection: 'blog',
          documents: [{ key, lang: 'en', contentMd: text }],
          options: { skipEmbeddings: true },
        }));
      case 'meta':
        return void (await ifThere(fixture.call('updateDocument', { ...named, meta: { x: [text] } })));
      case 'code':
        return void (await ifThere(fixture.call('updateDocument', { ...named, meta: { kind: ['code'] } })));
      case 'delete':
        return void (await ifThere(fixture.call('deleteDocument', named)));
      case 'reindex':
        return void (await fixture.call('reindexVectors', { collection: 'blog' }));
      case 'settle':
        return fixture.embeddings.settled();
      case 'restart':
        return fixture.embeddings.restart();
      case 'down':
        return void (this.#isDown = true);
      case 'up':
        return this.#up();
      case 'crash': {
        const survivor = await fixture.crashed({ queueSize: this.#queueSize }, this.#script);
        await fixture.close();
        this.fixture = survivor;
      }
    }
  }

  async #up(): Promise<void> {
    this.#isDown = false;
    await this.fixture.embeddings.restart(); // instead of waiting for pauses to end
  }

  async end(): Promise<void> {
    await this.#up();
    await this.fixture.embeddings.settled();
  }
}

/** Each document has exactly the vectors of its body, or a state that says why it has none. */
async function expectAllTold(fixture: EmbeddingFixture): Promise<void> {
  const rows = await fixture.sql.all<
    { ord: number; body: Uint8Array; crc: number; e_crc: number | null; state: string | null }
  >('SELECT d.ord, d.body, d.crc, e.crc AS e_crc, s.state FROM documents d LEFT JOIN embeddings e ON e.ord = d.ord ' +
    'LEFT JOIN embedding_states s ON s.ord = d.ord');
  for (const { ord, body, crc, e_crc: embedded, state } of rows) {
    const content = fixture.environment.codec.decode(body);
    const found = (await fixture.embeddings.of('').vectorsOfDocuments([ord])).map(({ vector }) => vector);
    if (state === null) expect([embedded, found]).toEqual([crc, content.trim() === '' ? [] : [vectorOf(content)]]);
    else expect([state, found]).toEqual([expect.stringMatching(/^(?:dropped|skipped)$/) as string, []]);
  }
  const { queue, collections } = await fixture.stats();
  expect(queue.depth).toBe(0);
  expect(collections['blog']?.embedded_documents ?? 0).toBe(rows.filter(({ state }) => state === null).length);
}

describe('any history of writes, failures and crashes', () => {
  it.each([1, 1000])('ends with each document embedded, or known not to be (queue of %i)', async (queueSize) => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const script = new Script();
      const history = new History(await EmbeddingFixture.open({ queueSize }, { script }), script, queueSize);
      try {
        for (const each of steps) await history.run(each);
        await history.end();
        await expectAllTold(history.fixture);
      } finally {
        await history.fixture.close();
      }
    }), { numRuns: 8 });
  });
});
