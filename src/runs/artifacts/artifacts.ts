import type { DownloadArtifactsResponse,
  UploadArtifactRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatByteSize } from '../../lib/byte-size.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Queries, Transaction } from '../../storage/index.ts';
import { type ContentStore, type Place, RowContents } from '../contents/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Queue, RunRef } from '../queue/port.ts';
import { addArtifact, COUNTING, countOthers, isReferenced, listOfAttempt, lockTotal, removeAbove, type RemovedFile,
  removeExpired, totalBytes } from './artifact-rows.ts';
import { type ArtifactHandlers, createArtifactHandlers } from './handlers.ts';
import type { ArtifactRecord } from './port.ts';
import type { ArtifactExchange, Received } from './port.ts';
import { type AnnouncedFile, messagesOf, readDescription } from './transfer.ts';

interface ArtifactsOptions {
  readonly env: RunsEnvironment;
  readonly queue: Pick<Queue, 'get' | 'holds' | 'neededBy'>;
  readonly store: ContentStore;
  /** For metrics. Must not throw. */
  readonly received?: (status: Received['status']) => void;
}

/** Files that steps produce: received from ships, listed, downloaded, and removed when they expire. */
export class Artifacts implements ArtifactExchange {
  readonly handlers: ArtifactHandlers;
  readonly #options: ArtifactsOptions;
  readonly #contents: RowContents;

  constructor(options: ArtifactsOptions) {
    this.#options = options;
    this.#contents = new RowContents({
      env: options.env,
      store: options.store,
      isReferenced,
      sweep: (signal) => this.#expire(signal),
      failure: 'expired artefacts could not be removed',
    });
    this.handlers = createArtifactHandlers({ sql: options.env.sql, queue: options.queue, store: options.store });
  }

  /** Bytes of all stored files, of all servers over the store. */
  totalBytes(): Promise<number> {
    return totalBytes(this.#options.env.sql.background);
  }

  /** Opens the store and starts removing expired files. */
  start(): Promise<void> {
    return this.#contents.start();
  }

  stop(): Promise<void> {
    return this.#contents.stop();
  }

  async receive(shipId: string, parts: AsyncIterable<UploadArtifactRequest>): Promise<Received> {
    const iterator = parts[Symbol.asyncIterator]();
    const file = readDescription((await iterator.next()).value as UploadArtifactRequest | undefined);
    const result = await this.#take(shipId, file, iterator);
    this.#options.received?.(result.status);
    return result;
  }

  async send(shipId: string, ref: RunRef): Promise<AsyncIterable<DownloadArtifactsResponse> | undefined> {
    const { env: { sql }, queue, store } = this.#options;
    if (!await sql.transaction((tx) => queue.holds(tx, ref, shipId))) return undefined;
    const files = new Map<string, ArtifactRecord>();
    // Of several files of one name the last one stays; its own come last.
    for (const { runId, attempt } of [...await queue.neededBy(ref.runId), ref]) {
      for (const file of await listOfAttempt(sql, runId, attempt)) files.set(file.name, file);
    }
    return messagesOf([...files.values()], store);
  }

  async #take(shipId: string, file: AnnouncedFile, parts: AsyncIterator<UploadArtifactRequest>): Promise<Received> {
    const { env: { sql }, queue } = this.#options;
    // Checked before the bytes are received, because they would be discarded.
    if (!await sql.transaction((tx) => queue.holds(tx, file.ref, shipId))) return { status: 'fenced' };
    const limit = await this.#limitOf(file);
    if (limit !== undefined) return { status: 'over_limit', message: limit };
    return this.#contents.receive(parts, file, (place) => this.#keep(shipId, file, place));
  }

  /** Only the ship that still holds the run may add files to it. */
  async #keep(shipId: string, file: AnnouncedFile, place: Place): Promise<Received> {
    const { env: { clock }, queue } = this.#options;
    const gone: RemovedFile[] = [];
    const received = await this.#change<Received>(async (tx) => {
      gone.length = 0; // the transaction may be repeated
      if (!await queue.holds(tx, file.ref, shipId)) return { status: 'fenced' };
      // Again, because others may have arrived at the same time.
      const message = await this.#tooMany(tx, file);
      if (message !== undefined) return { status: 'over_limit', message };
      const former = await addArtifact(tx, file.ref, { ...file, createdAt: unixSeconds(clock) });
      gone.push(...(former === undefined ? [] : [former]), ...await removeAbove(tx, this.#budget));
      if (await totalBytes(tx) > this.#budget) throw new OverBudget();
      return { status: 'kept' };
    }, place).catch((error: unknown): Received => {
      if (!(error instanceof OverBudget)) throw error;
      gone.length = 0; // it was rolled back
      return { status: 'over_limit', message: usedUp(this.#budget) };
    });
    await this.#forget([...gone, ...(received.status === 'kept' ? [] : [file])]);
    return received;
  }

  get #budget(): number {
    return this.#options.env.config.current().config.artifacts.total_budget;
  }

  /** `place` comes first: it may wait for the store, and nobody should wait for the total meanwhile. */
  #change<T>(work: (tx: Transaction) => Promise<T>, place?: Place): Promise<T> {
    return this.#options.env.sql.transaction(async (tx) => {
      await place?.(tx);
      await lockTotal(tx);
      return work(tx);
    }, COUNTING);
  }

  /** Why a file cannot be stored; undefined if it can. */
  async #limitOf(file: AnnouncedFile): Promise<string | undefined> {
    const { env: { sql, config } } = this.#options;
    const { artifacts } = config.current().config;
    const { size } = file;
    if (size > artifacts.max_size)
      return `it has ${formatByteSize(size)}, at most ${
        formatByteSize(artifacts.max_size)
      } are allowed (artifacts.max_size)`;
    const tooMany = await this.#tooMany(sql, file);
    if (tooMany !== undefined) return tooMany;
    if (size > artifacts.total_budget)
      return `it has ${formatByteSize(size)}, more than all artefacts together may have (artifacts.total_budget)`;
    while (await totalBytes(sql) + size > artifacts.total_budget) {
      if (!await this.#remove((tx) => removeAbove(tx, artifacts.total_budget - size)))
        return usedUp(artifacts.total_budget);
    }
    return undefined;
  }

  /** Why the attempt cannot have this file besides its others. */
  async #tooMany(from: Queries, { ref, name }: AnnouncedFile): Promise<string | undefined> {
    const { max_count: most } = this.#options.env.config.current().config.artifacts;
    return await countOthers(from, ref, name) < most
      ? undefined
      : `the attempt has left ${most} files already (artifacts.max_count)`;
  }

  async #expire(signal: AbortSignal): Promise<void> {
    const { env: { clock, config } } = this.#options;
    const until = unixSeconds(clock) - Math.ceil(config.current().config.artifacts.retention / 1000);
    while (!signal.aborted && await this.#remove((tx) => removeExpired(tx, until)));
  }

  /** Returns whether there was anything to remove. */
  #remove(some: (tx: Transaction) => Promise<RemovedFile[]>): Promise<boolean> {
    return this.#contents.oneByOne(async () => {
      const removed = await this.#change(some);
      await this.#forget(removed);
      return removed.length > 0;
    });
  }

  /** After rows are deleted, also removes the files that no other row refers to. */
  async #forget(removed: readonly Pick<RemovedFile, 'sha256'>[]): Promise<void> {
    await this.#contents.forget(removed.map(({ sha256 }) => sha256));
  }
}

/** Rolls back the transaction that has added a file for which there is no room. */
class OverBudget extends Error {}

const usedUp = (budget: number): string =>
  `${formatByteSize(budget)} are used up by runs that have not finished (artifacts.total_budget)`;
