import { create } from '@bufbuild/protobuf';
import { DownloadCacheResponseSchema, type DiscardCacheRequest, type DownloadCacheRequest, type DownloadCacheResponse, type UploadCacheRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatByteSize } from '../../lib/byte-size.ts';
import type { Transaction } from '../../storage/index.ts';
import { piecesOf, RowContents, type ContentStore } from '../contents/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Queue, RunRef } from '../queue/port.ts';
import { addCache, findCache, hasCache, isReferenced, noteUse, removeAbove, removeRows, removeUnused, type CacheRow } from './cache-rows.ts';
import type { CacheExchange, CacheTaken } from './port.ts';
import { readDescription, readDiscarded, readWanted, type AnnouncedCache } from './requests.ts';

export interface CachesOptions {
  readonly env: RunsEnvironment;
  readonly queue: Pick<Queue, 'get' | 'holds'>;
  readonly store: ContentStore;
}

/** Caches of steps that all ships share: received from ships, sent to them, and removed when they are not used. */
export class Caches implements CacheExchange {
  readonly #options: CachesOptions;
  readonly #contents: RowContents;
  readonly #stopping = new AbortController();
  #sweeping: Promise<void> | undefined;

  constructor(options: CachesOptions) {
    this.#options = options;
    this.#contents = new RowContents({ env: options.env, store: options.store, isReferenced });
  }

  /** Opens the store and starts removing unused caches. */
  async start(): Promise<void> {
    await this.#options.store.open();
    this.#sweeping = this.#contents.sweepForEver(() => this.#sweep(), this.#stopping.signal, 'unused caches could not be removed');
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#sweeping;
    await this.#contents.idle();
    await this.#options.store.close();
  }

  async receive(shipId: string, parts: AsyncIterable<UploadCacheRequest>): Promise<CacheTaken> {
    const iterator = parts[Symbol.asyncIterator]();
    const cache = readDescription((await iterator.next()).value as UploadCacheRequest | undefined);
    const projectId = await this.#projectOf(cache.ref, shipId);
    if (projectId === undefined) return { status: 'fenced' };
    // Checked before the bytes are received, because they would be discarded.
    if (await hasCache(this.#options.env.sql, projectId, cache.key)) return { status: 'exists' };
    const limit = await this.#limitOf(cache);
    if (limit !== undefined) return { status: 'over_limit', message: limit };
    return this.#contents.receive(iterator, cache, () => this.#keep(shipId, projectId, cache));
  }

  async send(shipId: string, request: DownloadCacheRequest): Promise<AsyncIterable<DownloadCacheResponse> | undefined> {
    const wanted = readWanted(request);
    const projectId = await this.#projectOf(wanted.ref, shipId);
    if (projectId === undefined) return undefined;
    return this.#messagesOf(await findCache(this.#options.env.sql, projectId, wanted));
  }

  async discard(shipId: string, request: DiscardCacheRequest): Promise<void> {
    const { ref, key } = readDiscarded(request);
    const projectId = await this.#projectOf(ref, shipId);
    if (projectId === undefined) return;
    await this.#remove(async (tx) => {
      const found = await findCache(tx, projectId, { key, restoreKeys: [] });
      return found === undefined ? [] : removeRows(tx, [found]);
    });
  }

  async *#messagesOf(cache: CacheRow | undefined): AsyncGenerator<DownloadCacheResponse> {
    if (cache === undefined) return;
    const { env: { sql, clock }, store } = this.#options;
    const content = await store.read(cache.sha256, cache.size);
    // Somebody has cleared the folder or the bucket: the next run saves it again.
    if (content === undefined) return void await this.#remove((tx) => removeRows(tx, [cache]));
    await sql.transaction((tx) => noteUse(tx, cache, clock.now()));
    yield create(DownloadCacheResponseSchema, { body: { case: 'description', value: { key: cache.key, size: BigInt(cache.size), sha256: Buffer.from(cache.sha256, 'hex'), createdUnixMs: BigInt(cache.created_ms) } } });
    for await (const value of piecesOf(content)) yield create(DownloadCacheResponseSchema, { body: { case: 'chunk', value } });
  }

  /** The project of a run that the ship holds; undefined if it does not hold it. */
  async #projectOf(ref: RunRef, shipId: string): Promise<string | undefined> {
    const { env: { sql }, queue } = this.#options;
    if (!await sql.transaction((tx) => queue.holds(tx, ref, shipId))) return undefined;
    return (await queue.get(ref.runId))?.projectId;
  }

  /** Only the ship that still holds the run may save its caches. */
  async #keep(shipId: string, projectId: string, { ref, key, size, sha256 }: AnnouncedCache): Promise<CacheTaken> {
    const { env: { sql, clock, config }, queue } = this.#options;
    const now = clock.now();
    const { status, removed } = await sql.transaction(async (tx) => {
      if (!await queue.holds(tx, ref, shipId)) return { status: 'fenced' as const, removed: [] };
      const isNew = await addCache(tx, { project_id: projectId, key, size, sha256, created_ms: now, used_ms: now });
      return { status: isNew ? 'kept' as const : 'exists' as const, removed: await removeAbove(tx, config.current().config.caches.total_budget) };
    });
    await this.#contents.forget([sha256, ...removed.map((row) => row.sha256)]);
    return { status };
  }

  /** Why a cache cannot be stored; undefined if it can. */
  async #limitOf({ size }: AnnouncedCache): Promise<string | undefined> {
    const { caches } = this.#options.env.config.current().config;
    if (size > caches.max_size) return `it has ${formatByteSize(size)}, at most ${formatByteSize(caches.max_size)} are allowed (caches.max_size)`;
    if (size > caches.total_budget) return `it has ${formatByteSize(size)}, more than all caches together may have (caches.total_budget)`;
    return this.#contents.lackOfRoom(size);
  }

  /** The budget is checked, too, because the configuration may have a smaller one now. */
  async #sweep(): Promise<void> {
    const { env: { clock, config } } = this.#options;
    const { retention, total_budget: budget } = config.current().config.caches;
    while (!this.#stopping.signal.aborted && await this.#remove((tx) => removeUnused(tx, clock.now() - retention)));
    while (!this.#stopping.signal.aborted && await this.#remove((tx) => removeAbove(tx, budget)));
  }

  /** Returns whether there was anything to remove. */
  #remove(some: (tx: Transaction) => Promise<CacheRow[]>): Promise<boolean> {
    return this.#contents.oneByOne(async () => {
      const removed = await this.#options.env.sql.transaction(some);
      await this.#contents.forget(removed.map(({ sha256 }) => sha256));
      return removed.length > 0;
    });
  }
}
