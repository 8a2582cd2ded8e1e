import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { silentLog } from '../../lib/log.ts';
import { caughtUp, createInvoker, DEFAULT_ANSWER_BYTES, type Download, type Handlers, type Invoke, type InvokerOptions,
  type OutputOf, type StreamedBody } from '../../operations/index.ts';
import { BodyCodec, type Change, ChangeFeed, DOCUMENT_MIGRATIONS, type KeyRing,
  type Sql } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { type Collections, createCollections } from '../collections/index.ts';
import { type ColumnsView, createColumns } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { createGeo, type Geo } from '../geo/index.ts';
import { createSchemas, type Schemas } from '../schemas/index.ts';
import { DOCS_INPUTS } from '../test-fixture.ts';
import { createDocuments, type Documents } from './index.ts';

const ALL_DRIVERS = ['node:sqlite', 'sql.js'] as const;
export type DriverName = (typeof ALL_DRIVERS)[number];
// oxlint-disable-next-line node/no-process-env -- a switch of the tests, and no setting of the service
export const OVER_POSTGRES = process.env['QUIRE_TEST_POSTGRES'] !== undefined;
/** PostgreSQL replaces both drivers, so the tests run over it only once. */
export const DRIVERS: readonly DriverName[] = OVER_POSTGRES ? ['node:sqlite'] : ALL_DRIVERS;

/** Unix seconds at which every test begins. */
export const START = 1_766_400_000;

/**
 * For tests: the area over a real database, called through the pipeline, with a clock that the test advances. A write
 * returns when filters find it.
 */
export class Fixture {
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly environment: DocsEnvironment;
  readonly collections: Collections;
  readonly schemas: Schemas;
  readonly columns: ColumnsView;
  readonly geo: Geo;
  documents: Documents;
  /** Maximum number of bytes of one response. */
  answerBytes = DEFAULT_ANSWER_BYTES;
  readonly #folder: string | undefined;
  #milliseconds = START * 1000;
  #invoke: Invoke<Operations>;

  private constructor(sql: Sql, folder: string | undefined, given: Partial<DocsEnvironment['settings']>,
    keys: KeyRing | undefined)
  {
    const clock = { now: () => this.#milliseconds };
    this.sql = sql;
    this.#folder = folder;
    this.feed = new ChangeFeed(sql, clock);
    // Only the settings that the tested areas read; the other settings belong to the system area.
    const settings = { ttlSweepMs: 30_000, codeMaxSymbols: 512, ...given } as DocsEnvironment['settings'];
    this.environment = { sql, feed: this.feed, codec: new BodyCodec(), clock, log: silentLog, settings, keys };
    this.collections = createCollections(this.environment);
    this.schemas = createSchemas(this.environment);
    this.columns = createColumns(this.environment, { collections: this.collections });
    this.geo = createGeo(this.environment, { collections: this.collections, columns: this.columns });
    this.documents = createDocuments(this.environment, {
      collections: this.collections,
      columns: this.columns,
      schemas: this.schemas,
    });
    this.#invoke = this.#invokerOf({});
  }

  static async open(driver: DriverName, settings: Partial<DocsEnvironment['settings']> = {},
    keys?: KeyRing): Promise<Fixture>
  {
    const folder = driver === 'sql.js' ? undefined : await mkdtemp(join(tmpdir(), 'quire-documents-'));
    const sql = await openMigrated({ path: folder === undefined ? ':memory:' : join(folder, 'test.db'), keys },
      DOCUMENT_MIGRATIONS);
    const fixture = new Fixture(sql, folder, settings, keys);
    await fixture.columns.start();
    await fixture.geo.view.start();
    return fixture;
  }

  /** Adds the handlers of another area. */
  use(handlers: Handlers<Operations>, steps: InvokerOptions<Operations>['steps'] = {}): void {
    this.#invoke = this.#invokerOf(handlers, steps);
  }

  /** Sets whether revisions are stored as deltas from now on, as after a restart with the other mode. */
  switchDeltas(): void {
    const { settings } = this.environment as { settings: { deltaRevisions?: boolean } };
    settings.deltaRevisions = settings.deltaRevisions !== true;
    this.documents = createDocuments(this.environment, {
      collections: this.collections,
      columns: this.columns,
      schemas: this.schemas,
    });
    this.#invoke = this.#invokerOf({});
  }

  advance(seconds: number): void {
    this.#milliseconds += seconds * 1000;
  }

  /** Unix seconds. */
  get now(): number {
    return Math.floor(this.#milliseconds / 1000);
  }

  /** Runs an operation; its input is validated and completed like that of a request. */
  async call<K extends keyof Operations & string>(id: K, input: object,
    signal?: AbortSignal): Promise<OutputOf<Operations, K>>
  {
    return (await this.reply(id, input, signal)).value;
  }

  /** As `call`, for an operation that reads a stream and returns one: returns the pieces of the response. */
  async stream<K extends keyof Operations & string>(id: K, input: object, body: StreamedBody,
    signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  {
    const { value } = await this.#invoke(id, structuredClone(input), {
      protocol: 'http',
      requestId: 'test',
      body,
      ...(signal && { signal }),
    });
    return (value as Download).content as AsyncIterable<Uint8Array>;
  }

  /** As `call`, with the headers. */
  reply<K extends keyof Operations & string>(id: K, input: object, signal?: AbortSignal) {
    return this.#invoke(id, structuredClone(input), { protocol: 'http', requestId: 'test', ...(signal && { signal }) });
  }

  /** The change feed after a position. */
  changes(after = 0): Promise<Change[]> {
    return this.feed.read(after, 10_000);
  }

  async count(table: string): Promise<number> {
    return (await this.sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))!.n;
  }

  /** Metadata values of the documents of a collection that filters find. */
  async countMeta(collection = 'blog'): Promise<number> {
    await this.columns.caughtUp();
    return this.columns.indexOf(collection)?.columns.stats().pairs ?? 0;
  }

  async close(): Promise<void> {
    await this.documents.stop();
    await this.columns.stop();
    await this.geo.view.stop();
    await this.sql.close();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true });
  }

  #invokerOf(more: Handlers<Operations>, steps: InvokerOptions<Operations>['steps'] = {}): Invoke<Operations> {
    const handlers = {
      ...this.collections.handlers,
      ...this.schemas.handlers,
      ...this.documents.handlers,
      ...more,
    };
    return createInvoker<Operations>({
      operations,
      inputs: DOCS_INPUTS,
      handlers,
      steps: { caughtUp: caughtUp({ columns: this.columns, places: this.geo.view }), ...steps },
      strictInput: true,
      mode: () => 'wr',
      answerBytes: () => this.answerBytes,
    });
  }
}
