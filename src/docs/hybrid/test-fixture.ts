import { type Operations, operations } from '../../../generated/docs/operations.ts';
import type { SearchHybridResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { caughtUp, createInvoker, type Invoke } from '../../operations/index.ts';
import { createCuration } from '../curation/index.ts';
import { createDocuments } from '../documents/index.ts';
import { createFullText, createFullTextSearch, type FullTextSearch } from '../fulltext/index.ts';
import { createSchemas } from '../schemas/index.ts';
import { DOCS_INPUTS } from '../test-fixture.ts';
import { type FixtureOptions, VectorFixture } from '../vectors/test-fixture.ts';
import { createHybrid, type Hybrid } from './index.ts';
import type { MeaningSide } from './search-hybrid.ts';

export interface HybridOptions extends FixtureOptions {
  /** Wraps the vector search. */
  readonly between?: (meaning: MeaningSide) => MeaningSide;
}

type Result = SearchHybridResponse['results'][number];

/** For tests: documents with words and vectors over a real database file; `add` resolves when both can be found. */
export class HybridFixture {
  readonly base: VectorFixture;
  readonly search: FullTextSearch;
  readonly hybrid: Hybrid;
  /** Number of searches that passed the gate. */
  gated = 0;
  readonly #invoke: Invoke<Operations>;

  private constructor(base: VectorFixture, { between = (meaning) => meaning }: HybridOptions) {
    const { environment, collections, embeddings, vectors } = this.base = base;
    const documents = createDocuments(environment, {
      collections,
      columns: base.columns,
      schemas: createSchemas(environment),
      embeddingCapacity: embeddings.embeddingCapacity,
    });
    const fullText = createFullText(environment, { columns: base.columns, geo: base.geo.view });
    const curation = createCuration(environment);
    const search = this.search = createFullTextSearch(environment, {
      fullText,
      collections,
      curation,
      columns: base.columns,
      geo: base.geo.view,
      vectors,
    });
    const gate = {
      run: <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
        this.gated++;
        return base.gate.run(work, signal);
      },
    };
    this.hybrid = createHybrid({
      words: search,
      vectors: { of: (collection, field) => between(vectors.of(collection, field)) },
      chunker: embeddings,
      gate,
    });
    const handlers = {
      ...collections.handlers,
      ...documents.handlers,
      ...fullText.handlers,
      ...curation.handlers,
      ...search.handlers,
      ...embeddings.handlers,
      ...vectors.handlers,
      ...this.hybrid.handlers,
    };
    this.#invoke = createInvoker<Operations>({
      operations,
      inputs: DOCS_INPUTS,
      strictInput: true,
      mode: () => 'wr',
      handlers,
      steps: { caughtUp: caughtUp({ words: search.view, columns: base.columns, places: base.geo.view }) },
    });
  }

  static async open(options: HybridOptions = {}): Promise<HybridFixture> {
    const fixture = new HybridFixture(await VectorFixture.open(options), options);
    await fixture.search.view.start();
    await fixture.search.view.settled();
    return fixture;
  }

  async call<K extends keyof Operations & string>(id: K, input: object, signal?: AbortSignal) {
    return (await this.#invoke(id, structuredClone(input), {
      protocol: 'http',
      requestId: 'test',
      ...(signal && { signal }),
    })).value;
  }

  /** Stores a document, and waits for its vectors. */
  async add(key: string, contentMd: string, meta: Record<string, string[]> = {}, more: object = {}): Promise<void> {
    await this.write(key, contentMd, meta, more);
    await this.base.caughtUp();
  }

  /** Stores a document. */
  async write(key: string, contentMd: string, meta: Record<string, string[]> = {}, more: object = {}): Promise<void> {
    await this.call('addDocument', { collection: 'c', key, lang: 'en', contentMd, meta, ...more });
  }

  find(query: string, more: object = {}): Promise<SearchHybridResponse> {
    return this.call('searchHybrid', { collection: 'c', query, ...more }) as Promise<SearchHybridResponse>;
  }

  /** Keys of the results of a search, in their order. */
  async keys(query: string, more: object = {}): Promise<string[]> {
    return keysOf(await this.find(query, more));
  }

  async close(): Promise<void> {
    await this.search.view.stop();
    await this.base.close();
  }
}

export function keysOf({ results }: SearchHybridResponse): string[] {
  return results.map(({ document: { key } }) => key);
}

/** The combined score of a result by the formulas of the contract, computed only from the answer. */
export function recomputed({ strategy, alpha, rrfK }: SearchHybridResponse,
  { ftsScore, vectorScore, ftsRank, vectorRank }: Result): number
{
  if (strategy === 'alpha') return (1 - alpha) * ftsScore + alpha * vectorScore;
  return (ftsRank === undefined ? 0 : 1 / (rrfK + ftsRank)) + (vectorRank === undefined ? 0 : 1 / (rrfK + vectorRank));
}
