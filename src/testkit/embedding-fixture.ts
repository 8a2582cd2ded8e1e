import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Operations, operations } from '../../generated/docs/operations.ts';
import type { GetVectorStatsResponse } from '../../generated/docs/sdk/types.gen.ts';
import { createCollections } from '../docs/collections/index.ts';
import { createColumns } from '../docs/columns/index.ts';
import { createDocuments } from '../docs/documents/index.ts';
import { createEmbeddings, type Embeddings } from '../docs/embeddings/index.ts';
import type { DocsEnvironment } from '../docs/environment.ts';
import { createIngest } from '../docs/ingest/index.ts';
import { createMaintenance } from '../docs/maintenance/index.ts';
import { createSchemas } from '../docs/schemas/index.ts';
import { DOCS_INPUTS } from '../docs/test-fixture.ts';
import { EmbeddingError, type EmbeddingProvider, type EmbeddingRole, type ProviderConfig } from '../embedding/index.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { createInvoker, type Handlers, type Invoke, type OutputOf } from '../operations/index.ts';
import { BodyCodec, ChangeFeed, DOCUMENT_MIGRATIONS, type Sql } from '../storage/index.ts';
import { ManualTimer } from './manual-timer.ts';
import { openMigrated } from './migrated-database.ts';

export const START = 1_766_400_000;

/** The behaviour of a test's provider; shared by all providers that a test's server creates. */
export class Script {
  /** The texts of each call, in order. */
  readonly calls: { texts: readonly string[]; role: EmbeddingRole; model: string }[] = [];
  readonly created: ProviderConfig[] = [];
  closed = 0;
  maxBatch = 4;
  /** Components of the returned vectors, whatever size the provider states. */
  size = 4;
  /** Makes providers that do not follow this script. */
  make: ((config: ProviderConfig) => EmbeddingProvider) | undefined;
  /** The error with which calls fail, if any. */
  failure: (texts: readonly string[]) => Error | undefined = () => undefined;
  #held: PromiseWithResolvers<void> | undefined;
  #reached = Promise.withResolvers<void>();

  /** Makes calls wait from now on. */
  hold(): void {
    this.#held = Promise.withResolvers();
    this.#reached = Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  /** Resolves when a call is waiting. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  async pass(signal: AbortSignal | undefined): Promise<void> {
    if (this.#held === undefined) return;
    this.#reached.resolve();
    const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.#held.promise, aborted]);
    if (signal?.aborted) throw new EmbeddingError('the embedding was cancelled', { retryable: true });
  }

  /** Texts of documents, in order, without the short text that tests whether a provider works. */
  get texts(): string[] {
    return this.calls.filter(({ role }) => role === 'document').flatMap(({ texts }) => texts).filter((text) =>
      text !== 'a short text'
    );
  }
}

/** The vector of a text. */
export function vectorOf(text: string, size = 4): Float32Array {
  return Float32Array.from({ length: size }, (_, i) => (crc32(`${i} ${text}`) % 1000) / 1000 + 0.5);
}

class ScriptedProvider implements EmbeddingProvider {
  readonly name;
  readonly model: string;
  readonly dimensions = 4;
  readonly variant: string;
  readonly #script: Script;

  constructor(script: Script, { provider, model, dimensions }: ProviderConfig) {
    this.#script = script;
    this.name = provider === 'ollama' ? 'local' as const : provider;
    this.model = model || 'own-model';
    this.variant = dimensions ? `dimensions=${dimensions}` : 'plain';
    script.created.push({ provider, model, dimensions });
  }

  get maxBatch(): number {
    return this.#script.maxBatch;
  }

  async embed(texts: readonly string[], role: EmbeddingRole, signal?: AbortSignal): Promise<Float32Array[]> {
    const { calls, failure, size } = this.#script;
    calls.push({ texts, role, model: this.model });
    await this.#script.pass(signal);
    const error = failure(texts);
    if (error !== undefined) throw error;
    return texts.map((text) => vectorOf(text, size));
  }

  async close(): Promise<void> {
    this.#script.closed++;
  }
}

export type TestSettings = Partial<DocsEnvironment['settings']>;

/**
 * For tests: the areas that write documents and embed them, over a real database file, with a clock and timer that the
 * test controls.
 */
export class EmbeddingFixture {
  readonly script: Script;
  readonly timer = new ManualTimer();
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly environment: DocsEnvironment;
  readonly embeddings: Embeddings;
  readonly warnings: (object & { message: string })[] = [];
  readonly #folder: string;
  readonly #invoke: Invoke<Operations>;
  #milliseconds = START * 1000;
  #closed = false;

  private constructor(sql: Sql, folder: string, script: Script, given: TestSettings) {
    const clock = { now: () => this.#milliseconds };
    const log: Log = { ...silentLog, warn: (fields, message) => void this.warnings.push({ ...fields, message }) };
    this.sql = sql;
    this.#folder = folder;
    this.script = script;
    this.feed = new ChangeFeed(sql, clock);
    const settings = {
      mode: 'wr',
      ttlSweepMs: 30_000,
      codeMaxSymbols: 512,
      backupDir: folder,
      ...given,
    } as DocsEnvironment['settings'];
    const environment = this.environment = { sql, feed: this.feed, codec: new BodyCodec(), clock, log, settings };
    const collections = createCollections(environment);
    const schemas = createSchemas(environment);
    this.embeddings = createEmbeddings(environment, {
      collections,
      timer: this.timer,
      create: (config) => script.make?.(config) ?? new ScriptedProvider(script, config),
    });
    const documents = createDocuments(environment, {
      collections,
      columns: createColumns(environment, { collections }),
      schemas,
      embeddingCapacity: this.embeddings.embeddingCapacity,
    });
    const ingest = createIngest(environment, { collections, documents });
    const maintenance = createMaintenance(environment, {
      documents,
      onRestored: [() => collections.load(), () => this.embeddings.restart()],
    });
    const handlers: Handlers<Operations> = {
      ...collections.handlers,
      ...schemas.handlers,
      ...documents.handlers,
      ...ingest.handlers,
      ...maintenance.handlers,
      ...this.embeddings.handlers,
      getVectorStats: (_input, { identity }) => this.embeddings.readStats(identity, true),
    };
    this.#invoke = createInvoker<Operations>({
      operations,
      inputs: DOCS_INPUTS,
      handlers,
      strictInput: true,
      mode: () => 'wr',
    });
  }

  /** A server with the provider `openai` and a queue that never waits, unless specified otherwise. */
  static async open(embedding: TestSettings['embedding'] = {},
    more: { script?: Script; file?: string; settings?: TestSettings } = {}): Promise<EmbeddingFixture>
  {
    const folder = await mkdtemp(join(tmpdir(), 'quire-embeddings-'));
    const path = join(folder, 'test.db');
    if (more.file !== undefined) {
      await copyFile(more.file, path);
      if (existsSync(`${more.file}-wal`)) await copyFile(`${more.file}-wal`, `${path}-wal`);
    }
    const sql = await openMigrated({ path }, DOCUMENT_MIGRATIONS);
    const settings = {
      ...more.settings,
      embedding: { provider: 'openai' as const, apiKey: 'k', queueWaitMs: 0, ...embedding },
    };
    const fixture = new EmbeddingFixture(sql, folder, more.script ?? new Script(), settings);
    await fixture.embeddings.start();
    return fixture;
  }

  /** A copy of what a crash at this moment would leave, served by another server. */
  crashed(embedding: TestSettings['embedding'] = {}, script?: Script): Promise<EmbeddingFixture> {
    return EmbeddingFixture.open(embedding, { file: this.sql.info.path, ...(script && { script }) });
  }

  get now(): number {
    return this.#milliseconds;
  }

  advance(milliseconds: number): void {
    this.#milliseconds += milliseconds;
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

  add(key: string, contentMd: string, more: object = {}) {
    return this.call('addDocument', { collection: 'blog', key, lang: 'en', contentMd, ...more });
  }

  stats(): Promise<GetVectorStatsResponse> {
    return this.call('getVectorStats', {});
  }

  /** The embedded texts of a document, derived from its vectors; undefined if it was never embedded. */
  async embedded(key: string, collection = 'blog'): Promise<number | undefined> {
    const row = await this.sql.get<{ chunks: number }>(
      'SELECT e.chunks FROM embeddings e JOIN documents d ON d.ord = e.ord WHERE d.id = ? AND d.crc = e.crc',
      [`${collection}|${key}|en`],
    );
    return row?.chunks;
  }

  /** `key state` of each document whose body has no vectors, by key. */
  async states(): Promise<string[]> {
    const rows = await this.sql.all<{ key: string; state: string }>(
      'SELECT d.key, s.state FROM embedding_states s JOIN documents d ON d.ord = s.ord ORDER BY d.key',
    );
    return rows.map(({ key, state }) => `${key} ${state}`);
  }

  async count(table: string): Promise<number> {
    return (await this.sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))!.n;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.script.release();
    await this.embeddings.stop();
    await this.sql.close();
    await rm(this.#folder, { recursive: true });
  }
}
