import { caughtUp } from '../../operations/index.ts';
import { type EmbeddingCapacity, UNLIMITED_CAPACITY } from '../documents/index.ts';
import type { DriverName, Fixture } from '../documents/test-fixture.ts';
import { SearchFixture } from '../fulltext/search/test-fixture.ts';
import { createMemory, type MeaningSide, type Memory } from './index.ts';

export { DRIVERS, START } from '../documents/test-fixture.ts';

interface MemoryOptions {
  readonly meaning?: (fixture: Fixture) => MeaningSide;
  readonly embeddingCapacity?: EmbeddingCapacity;
}

/** For tests: conversations with full-text search over one database; a write resolves when it can be found. */
export class MemoryFixture {
  readonly base: Fixture;
  readonly memory: Memory;
  /** Number of searches that passed the gate. */
  gated = 0;
  /** Whether a search occupies a place at present. */
  holdsPlace = false;
  isEmbedding = false;
  readonly #search: SearchFixture;

  private constructor(search: SearchFixture, { meaning, embeddingCapacity = UNLIMITED_CAPACITY }: MemoryOptions) {
    this.#search = search;
    this.base = search.base;
    const gate = {
      run: async <T>(work: () => Promise<T>): Promise<T> => {
        this.gated++;
        this.holdsPlace = true;
        return work().finally(() => (this.holdsPlace = false));
      },
    };
    const describe = () => ({
      vectors: { enabled: this.isEmbedding, provider: 'none', model: '', dimensions: 0 },
      chunking: { enabled: true, chunkSize: 1 },
    });
    const side = meaning?.(this.base);
    this.memory = createMemory(this.base.environment, {
      collections: this.base.collections,
      embeddings: { embeddingCapacity, describe },
      words: search.search,
      gate,
      columns: search.columns,
      ...(side && { meaning: { of: () => side } }),
    });
    this.base.use({ ...search.search.handlers, ...this.memory.handlers }, {
      caughtUp: caughtUp({ words: search.search.view }),
    });
  }

  static async open(driver: DriverName, options: MemoryOptions = {}): Promise<MemoryFixture> {
    return new MemoryFixture(await SearchFixture.open(driver), options);
  }

  get call(): Fixture['call'] {
    return this.base.call.bind(this.base);
  }

  start(more: object = {}) {
    return this.call('startSession', { userId: 'ada', ...more });
  }

  say(sessionId: string, content: string, role = 'user', more: object = {}) {
    return this.call('addMessage', { sessionId, role, content, ...more });
  }

  /** A session with alternating messages of user and assistant. */
  async talk(contents: readonly string[], more: object = {}): Promise<string> {
    const { sessionId } = await this.start(more);
    for (const [i, content] of contents.entries())
      await this.say(sessionId, content, i % 2 === 0 ? 'user' : 'assistant');
    return sessionId;
  }

  recall(query: string, more: object = {}) {
    return this.call('recallMemory', { query, ...more });
  }

  /** Keys of recalled documents, best first, with numbers in place of session ids. */
  async found(query: string, sessions: readonly string[], more: object = {}): Promise<string[]> {
    const { results } = await this.recall(query, more);
    return results.map(({ document: { key } }) => key.replace(/^ses_[0-9a-f]+/, (id) => String(sessions.indexOf(id))));
  }

  async close(): Promise<void> {
    await this.#search.close();
  }
}
