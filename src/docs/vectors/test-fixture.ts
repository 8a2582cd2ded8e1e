import { existsSync } from 'node:fs';
import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { EmbeddingError, type EmbeddingProvider } from '../../embedding/index.ts';
import type { Timer } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { caughtUp, createInvoker, type Invoke, type OutputOf } from '../../operations/index.ts';
import type { VectorIndexOptions } from '../../search/vector/index.ts';
import { BodyCodec, ChangeFeed, DOCUMENT_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { type Collections, createCollections } from '../collections/index.ts';
import { type ColumnsView, createColumns } from '../columns/index.ts';
import { createDocuments } from '../documents/index.ts';
import { START } from '../documents/test-fixture.ts';
import { createEmbeddings, type Embeddings } from '../embeddings/index.ts';
import type { DocsEnvironment, DocsSettings } from '../environment.ts';
import { createGeo, type Geo } from '../geo/index.ts';
import { createMaintenance } from '../maintenance/index.ts';
import { createSchemas } from '../schemas/index.ts';
import { SearchGate } from '../search-gate.ts';
import { DOCS_INPUTS } from '../test-fixture.ts';
import { createVectorFields, createVectorWorkers, type VectorFieldsArea } from '../vector-fields/index.ts';
import { createVectors, type Vectors } from './index.ts';

/** The sum of one fixed pseudo-random vector for each word, with length 1; the order of words does not matter. */
function wordVector(text: string, dimensions: number): number[] {
  const sum = new Float64Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) addWord(sum, word);
  const length = Math.hypot(...sum) || 1;
  return Array.from(sum, (value) => Math.fround(value / length));
}

/** FNV-1a of the word seeds xorshift32. */
function addWord(sum: Float64Array, word: string): void {
  let state = [...word].reduce((hash, _, i) => Math.imul(hash ^ word.charCodeAt(i), 16_777_619), 2_166_136_261) || 1;
  for (let i = 0; i < sum.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    sum[i]! += (state >>> 0) / 2 ** 31 - 1;
  }
}

/** The provider of a test; texts that share words have similar vectors. */
export class Meaning {
  readonly model: string;
  readonly dimensions: number;
  /** Texts that were embedded as queries. */
  readonly queries: string[] = [];
  /** Texts that were embedded as documents. */
  readonly documents: string[] = [];
  /** The error that calls throw, if set. */
  failure: (texts: readonly string[]) => Error | undefined = () => undefined;
  /** Calls wait for it. */
  held: Promise<void> | undefined;

  constructor(model = 'words', dimensions = 32) {
    this.model = model;
    this.dimensions = dimensions;
  }

  vectorOf(text: string): number[] {
    return wordVector(text, this.dimensions);
  }

  provider(): EmbeddingProvider {
    return {
      name: 'openai',
      model: this.model,
      dimensions: this.dimensions,
      variant: 'plain',
      maxBatch: 16,
      embed: async (texts, role) => {
        (role === 'query' ? this.queries : this.documents).push(...texts);
        await this.held;
        const failure = this.failure(texts);
        if (failure !== undefined) throw failure;
        return texts.map((text) => Float32Array.from(this.vectorOf(text)));
      },
      close: async () => undefined,
    };
  }
}

function encoderOf(encoder: Meaning | undefined): EmbeddingProvider {
  if (encoder === undefined) throw new ConfigError(['no encoder is installed']);
  return encoder.provider();
}

export interface FixtureOptions {
  readonly meaning?: Meaning;
  /** The providers of configurations, by the model that they name; others have `meaning`. */
  readonly models?: Readonly<Record<string, Meaning>>;
  /** No encoder is installed if it is absent. */
  readonly encoder?: Meaning;
  /** Waits for the encoder. */
  readonly timer?: Timer;
  readonly embedding?: DocsSettings['embedding'];
  readonly vectors?: DocsSettings['vectors'];
  readonly index?: Partial<VectorIndexOptions>;
  /** A database to start from, copied with its log and checkpoints. */
  readonly file?: string;
  /** Tests start the view themselves. */
  readonly unstarted?: boolean;
}

/**
 * For tests: documents, their vectors and searches over a real database file; `add` resolves when the document can be
 * found.
 */
export class VectorFixture {
  readonly meaning: Meaning;
  readonly sql: Sql;
  readonly folder: string;
  readonly gate = new SearchGate({ places: 1 });
  readonly collections: Collections;
  readonly embeddings: Embeddings;
  readonly fields: VectorFieldsArea;
  readonly vectors: Vectors;
  readonly columns: ColumnsView;
  readonly geo: Geo;
  readonly environment: DocsEnvironment;
  readonly warnings: string[] = [];
  readonly #invoke: Invoke<Operations>;
  #milliseconds = START * 1000;
  #closed = false;

  private constructor(sql: Sql, folder: string,
    { meaning = new Meaning(), models = {}, encoder, timer, embedding, vectors, index }: FixtureOptions)
  {
    this.sql = sql;
    this.folder = folder;
    this.meaning = meaning;
    const clock = { now: () => this.#milliseconds };
    const settings = {
      mode: 'wr',
      ttlSweepMs: 30_000,
      codeMaxSymbols: 512,
      backupDir: folder,
      maxSearches: 1,
      searchStats: true,
      embedding: { provider: 'openai', apiKey: 'k', queueWaitMs: 0, chunkSize: 40, ...embedding },
      ...(vectors && { vectors }),
    } as DocsEnvironment['settings'];
    const log = { ...silentLog, warn: (_: object, message: string) => void this.warnings.push(message) };
    const environment = this.environment = {
      sql,
      feed: new ChangeFeed(sql, clock),
      codec: new BodyCodec(),
      clock,
      log,
      settings,
    };
    const collections = this.collections = createCollections(environment);
    this.embeddings = createEmbeddings(environment, {
      collections,
      create: ({ model = '' }) => (models[model] ?? meaning).provider(),
      createEncoder: () => encoderOf(encoder),
      ...(timer && { timer }),
    });
    const columns = this.columns = createColumns(environment, { collections });
    const geo = this.geo = createGeo(environment, { collections, columns });
    const documents = createDocuments(environment, {
      collections,
      columns,
      schemas: createSchemas(environment),
      embeddingCapacity: this.embeddings.embeddingCapacity,
    });
    const vectorWorkers = createVectorWorkers(environment);
    const vectorFields = this.fields = createVectorFields(environment, { collections, vectorWorkers });
    this.vectors = createVectors(environment, {
      collections,
      embeddings: this.embeddings,
      gate: this.gate,
      columns,
      geo: geo.view,
      vectorFields,
      vectorWorkers,
      ...(index && { index }),
    });
    const maintenance = createMaintenance(environment, {
      documents,
      onRestored: [() => collections.load(), () => columns.restart(), () => geo.view.restart(),
        () => this.fields.view.restart(), () => this.vectors.view.restart(), () => this.embeddings.restart()],
    });
    this.#invoke = createInvoker<Operations>({
      operations,
      inputs: DOCS_INPUTS,
      strictInput: true,
      mode: () => 'wr',
      handlers: {
        ...collections.handlers,
        ...documents.handlers,
        ...maintenance.handlers,
        ...this.embeddings.handlers,
        ...this.vectors.handlers,
      },
      steps: { caughtUp: caughtUp({ columns, places: geo.view, vectors: this.vectors.view }) },
    });
  }

  static async open(options: FixtureOptions = {}): Promise<VectorFixture> {
    const folder = await mkdtemp(join(tmpdir(), 'quire-vectors-'));
    const path = join(folder, 'test.db');
    for (const ending of ['', '-wal'])
      if (options.file !== undefined && existsSync(options.file + ending))
        await copyFile(options.file + ending, path + ending);
    if (options.file !== undefined && existsSync(`${options.file}.vectors`))
      await cp(`${options.file}.vectors`, `${path}.vectors`, { recursive: true });
    const sql = await openMigrated({ path }, DOCUMENT_MIGRATIONS);
    const fixture = new VectorFixture(sql, folder, options);
    if (!options.unstarted) await fixture.start();
    return fixture;
  }

  async start(): Promise<void> {
    await this.columns.start();
    await this.columns.settled();
    await this.geo.view.start();
    await this.geo.view.settled();
    await this.embeddings.start();
    await this.fields.view.start();
    await this.fields.view.settled();
    await this.vectors.view.start();
    await this.vectors.view.settled();
  }

  /** The state that a crash at this moment would leave, served by another server. */
  crashed(options: FixtureOptions = {}): Promise<VectorFixture> {
    return VectorFixture.open({ meaning: this.meaning, ...options, file: this.sql.info.path });
  }

  advance(seconds: number): void {
    this.#milliseconds += seconds * 1000;
  }

  async call<K extends keyof Operations & string>(id: K, input: object,
    signal?: AbortSignal): Promise<OutputOf<Operations, K>>
  {
    return (await this.#invoke(id, structuredClone(input), {
      protocol: 'http',
      requestId: 'test',
      ...(signal && { signal }),
    })).value;
  }

  /** Stores a document, and waits for its vectors. */
  async add(key: string, contentMd: string, more: object = {}): Promise<void> {
    await this.call('addDocument', { collection: 'c', key, lang: 'en', contentMd, ...more });
    await this.caughtUp();
  }

  /** Stores a document that the provider refuses, so that it keeps the vectors of its former body. */
  async addUnembedded(key: string, contentMd: string): Promise<void> {
    const { failure } = this.meaning;
    this.meaning.failure = (
      texts,
    ) => (texts.some((text) => contentMd.includes(text))
      ? new EmbeddingError('refused', { retryable: false })
      : undefined);
    await this.add(key, contentMd);
    this.meaning.failure = failure;
  }

  async caughtUp(): Promise<void> {
    await this.embeddings.settled();
    await this.columns.caughtUp();
    await this.geo.view.caughtUp();
    await this.fields.view.caughtUp();
    await this.vectors.view.caughtUp();
  }

  find(query: string, more: object = {}) {
    return this.call('searchVectors', { collection: 'c', query, ...more });
  }

  /** Keys of the results of a search, best first. */
  async keys(query: string, more: object = {}): Promise<string[]> {
    return (await this.find(query, more)).results.map(({ document }) => document.key);
  }

  /** The ordinal of a document. */
  async ordOf(key: string): Promise<number> {
    return (await this.sql.get<{ ord: number }>('SELECT ord FROM documents WHERE key = ?', [key]))!.ord;
  }

  async stop(): Promise<void> {
    await this.embeddings.stop();
    await this.vectors.stop();
    await this.fields.stop();
    await this.columns.stop();
    await this.geo.view.stop();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.stop();
    await this.sql.close();
    await rm(this.folder, { recursive: true });
  }
}
