import { create } from '@bufbuild/protobuf';
import { type DiscardCacheRequest, type DownloadCacheRequest, type DownloadCacheResponse, DownloadCacheResponseSchema,
  type UploadCacheRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatByteSize } from '../../lib/byte-size.ts';
import type { Transaction } from '../../storage/index.ts';
import { type ContentStore, piecesOf, type Place, RowContents } from '../contents/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Queue, RunRef } from '../queue/port.ts';
import { addCache, type CacheRow, countCaches, findCache, hasCache, isReferenced, noteUse, removeAbove, removeBeginning,
  removeRows, removeUnused } from './cache-rows.ts';
import type { CacheEvents, CacheExchange, CacheTaken } from './port.ts';
import { type AnnouncedCache, readDescription, readDiscarded, readWanted } from './requests.ts';

interface CachesOptions {
  readonly env: RunsEnvironment;
  readonly queue: Pick<Queue, 'get' | 'holds'>;
  readonly store: ContentStore;
  /** For metrics. */
  readonly events?: CacheEvents;
}

const NO_EVENTS: CacheEvents = { received: () => {}, asked: () => {}, evicted: () => {} };

/** Caches of steps that all ships share: received from ships, sent to them, and removed when they are not used. */
export class Caches implements CacheExchange {
  readonly #options: CachesOptions;
  readonly #contents: RowContents;
  readonly #events: CacheEvents;

  constructor(options: CachesOptions) {
    this.#options = options;
    this.#contents = new RowContents({
      env: options.env,
      store: options.store,
      isReferenced,
      sweep: (signal) => this.#sweep(signal),
      failure: 'unused caches could not be removed',
    });
    this.#events = options.events ?? NO_EVENTS;
  }

  /** Opens the store and starts removing unused caches. */
  start(): Promise<void> {
    return this.#contents.start();
  }

  stop(): Promise<void> {
    return this.#contents.stop();
  }

  /** Number and bytes of all stored caches, of all servers over the store. */
  totals(): Promise<{ readonly caches: number; readonly bytes: number }> {
    return countCaches(this.#options.env.sql.background);
  }

  /**
   * Deletes the cache with this key, or those whose keys begin with the prefix. `audit` is called in each transaction
   * that deletes any.
   */
  async delete(projectId: string, which: { readonly key: string } | { readonly prefix: string },
    audit: (tx: Transaction, caches: number) => Promise<void>
  ): Promise<{ readonly deleted: number; readonly bytes: number }> {
    let [deleted, bytes] = [0, 0];
    const some = async (tx: Transaction): Promise<CacheRow[]> => {
      const rows = 'key' in which
        ? await this.#removeKey(tx, projectId, which.key)
        : await removeBeginning(tx, projectId, which.prefix);
      if (rows.length > 0) await audit(tx, rows.length);
      return rows;
    };
    for (;;) {
      const removed = await this.#remove(some);
      if (removed.length === 0) return { deleted, bytes };
      deleted += removed.length;
      bytes += removed.reduce((sum, { size }) => sum + size, 0);
    }
  }

  async receive(shipId: string, parts: AsyncIterable<UploadCacheRequest>): Promise<CacheTaken> {
    const taken = await this.#receive(shipId, parts);
    this.#events.received(taken.status);
    return taken;
  }

  async #receive(shipId: string, parts: AsyncIterable<UploadCacheRequest>): Promise<CacheTaken> {
    const iterator = parts[Symbol.asyncIterator]();
    const cache = readDescription((await iterator.next()).value as UploadCacheRequest | undefined);
    const projectId = await this.#projectOf(cache.ref, shipId);
    if (projectId === undefined) return { status: 'fenced' };
    // Checked before the bytes are received, because they would be discarded.
    if (await hasCache(this.#options.env.sql, projectId, cache.key)) return { status: 'exists' };
    const limit = this.#limitOf(cache);
    if (limit !== undefined) return { status: 'over_limit', message: limit };
    return this.#contents.receive(iterator, cache, (place) => this.#keep(shipId, projectId, cache, place));
  }

  async send(shipId: string, request: DownloadCacheRequest): Promise<AsyncIterable<DownloadCacheResponse> | undefined> {
    const wanted = readWanted(request);
    const projectId = await this.#projectOf(wanted.ref, shipId);
    if (projectId === undefined) return undefined;
    return this.#messagesOf(await findCache(this.#options.env.sql, projectId, wanted), wanted.key);
  }

  async discard(shipId: string, request: DiscardCacheRequest): Promise<void> {
    const { ref, key } = readDiscarded(request);
    const projectId = await this.#projectOf(ref, shipId);
    if (projectId === undefined) return;
    await this.#remove((tx) => this.#removeKey(tx, projectId, key));
  }

  async #removeKey(tx: Transaction, projectId: string, key: string): Promise<CacheRow[]> {
    const found = await findCache(tx, projectId, { key, restoreKeys: [] });
    return found === undefined ? [] : removeRows(tx, [found]);
  }

  async *#messagesOf(cache: CacheRow | undefined, wanted: string): AsyncGenerator<DownloadCacheResponse> {
    if (cache === undefined) return this.#events.asked('miss');
    const { env: { sql, clock }, store } = this.#options;
    const content = await store.read(cache.sha256, cache.size);
    // Somebody has cleared the folder or the bucket: the next run saves it again.
    if (content === undefined) {
      this.#events.asked('miss');
      return void await this.#remove((tx) => removeRows(tx, [cache]));
    }
    this.#events.asked(cache.key === wanted ? 'hit' : 'restored');
    await sql.transaction((tx) => noteUse(tx, cache, clock.now()));
    yield create(DownloadCacheResponseSchema, {
      body: {
        case: 'description',
        value: {
          key: cache.key,
          size: BigInt(cache.size),
          sha256: Buffer.from(cache.sha256, 'hex'),
          createdUnixMs: BigInt(cache.created_ms),
        },
      },
    });
    for await (const value of piecesOf(content))
      yield create(DownloadCacheResponseSchema, { body: { case: 'chunk', value } });
  }

  /** The project of a run that the ship holds; undefined if it does not hold it. */
  async #projectOf(ref: RunRef, shipId: string): Promise<string | undefined> {
    const { env: { sql }, queue } = this.#options;
    if (!await sql.transaction((tx) => queue.holds(tx, ref, shipId))) return undefined;
    return (await queue.get(ref.runId))?.projectId;
  }

  /** Only the ship that still holds the run may save its caches. */
  async #keep(shipId: string, projectId: string, { ref, key, size, sha256 }: AnnouncedCache,
    place: Place): Promise<CacheTaken>
  {
    const { env: { sql, clock, config }, queue } = this.#options;
    const now = clock.now();
    const { status, removed } = await sql.transaction(async (tx) => {
      await place(tx);
      // Otherwise servers that save caches at the same time would not count those of each other.
      await tx.lock('total of caches');
      if (!await queue.holds(tx, ref, shipId)) return { status: 'fenced' as const, removed: [] };
      const isNew = await addCache(tx, { project_id: projectId, key, size, sha256, created_ms: now, used_ms: now });
      return {
        status: isNew ? 'kept' as const : 'exists' as const,
        removed: await removeAbove(tx, config.current().config.caches.total_budget),
      };
    }, { isolation: 'read committed' });
    await this.#contents.forget([sha256, ...removed.map((row) => row.sha256)]);
    this.#events.evicted('budget', removed.length);
    return { status };
  }

  /** Why a cache cannot be stored; undefined if it can. */
  #limitOf({ size }: AnnouncedCache): string | undefined {
    const { caches } = this.#options.env.config.current().config;
    if (size > caches.max_size)
      return `it has ${formatByteSize(size)}, at most ${formatByteSize(caches.max_size)} are allowed (caches.max_size)`;
    if (size > caches.total_budget)
      return `it has ${formatByteSize(size)}, more than all caches together may have (caches.total_budget)`;
    return undefined;
  }

  /** The budget is checked, too, because the configuration may have a smaller one now. */
  async #sweep(signal: AbortSignal): Promise<void> {
    const { env: { clock, config } } = this.#options;
    const { retention, total_budget: budget } = config.current().config.caches;
    await this.#evict('unused', (tx) => removeUnused(tx, clock.now() - retention), signal);
    await this.#evict('budget', (tx) => removeAbove(tx, budget), signal);
  }

  async #evict(why: 'unused' | 'budget', some: (tx: Transaction) => Promise<CacheRow[]>,
    signal: AbortSignal): Promise<void>
  {
    while (!signal.aborted) {
      const { length } = await this.#remove(some);
      if (length === 0) return;
      this.#events.evicted(why, length);
    }
  }

  /** Returns what was removed. */
  #remove(some: (tx: Transaction) => Promise<CacheRow[]>): Promise<readonly CacheRow[]> {
    return this.#contents.oneByOne(async () => {
      const removed = await this.#options.env.sql.transaction(some);
      await this.#contents.forget(removed.map(({ sha256 }) => sha256));
      return removed;
    });
  }
}
