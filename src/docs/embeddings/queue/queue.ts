import type { Timer } from '../../../lib/clock.ts';
import type { Collections } from '../../collections/index.ts';
import { createSealers, type PendingDocument } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { Chunker } from '../chunker.ts';
import type { Providers } from '../providers.ts';
import type { ReindexDeps } from '../reindex.ts';
import type { EmbeddingSettings } from '../settings.ts';
import { type FreshVectors, VectorStore } from '../store-vectors.ts';
import { QueueFollower } from './follower.ts';
import { QueueGate } from './gate.ts';
import { makeAllDue, statusOfIds } from './state-rows.ts';
import { EmbeddingWorkers } from './workers.ts';

interface QueueDeps {
  readonly settings: EmbeddingSettings;
  readonly chunker: Chunker;
  readonly providers: Providers;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly timer: Timer;
  /** Receives the vectors that were stored. */
  readonly fresh: Pick<FreshVectors, 'add'>;
}

/** The queue of documents to embed, from the change feed to the database. */
interface EmbeddingQueue {
  readonly gate: QueueGate;
  /** Why the provider failed last; undefined after it has succeeded again. */
  readonly lastError: string | undefined;
  /** The parts that reindexing shares with the queue. */
  readonly reindexing: ReindexDeps;
  /** Does nothing while the queue runs. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Makes failed documents that may succeed due at once, as at each start; call this when the provider has changed. */
  tryAgain(): Promise<void>;
  /** Removes the position in the feed. */
  forget(): Promise<void>;
  /** Resolves when everything written so far was tried. */
  settled(signal?: AbortSignal): Promise<void>;
}

export function createQueue(environment: DocsEnvironment,
  { settings, chunker, providers, collections, timer, fresh }: QueueDeps): EmbeddingQueue
{
  const { sql, feed, codec, clock, log } = environment;
  const inFlight = new Set<number>();
  const gate = new QueueGate({
    size: settings.queueSize,
    waitMs: settings.queueWaitMs,
    clock,
    timer,
    // A document whose vectors are those of this body, or that waits already, needs no further place.
    needing: async (documents) => {
      const known = new Map(
        (await statusOfIds(sql, documents.map(({ id }) => id))).map((status) => [status.id, status]),
      );
      const needs = ({ id, crc, bytes }: PendingDocument): boolean => {
        const { embedded, state } = known.get(id) ?? {};
        return state !== 'queued' && !(embedded?.crc === crc && embedded.bytes === bytes);
      };
      return documents.filter(needs);
    },
  });
  const store = new VectorStore({
    sql,
    feed,
    clock,
    collections,
    chunker,
    gate,
    fresh: environment.isNode === true ? undefined : fresh,
    sealerOf: createSealers(environment.keys, collections),
  });
  const workers = new EmbeddingWorkers({
    sql,
    codec,
    clock,
    log,
    timer,
    chunker,
    settings,
    providers,
    store,
    inFlight,
  });
  const follower = new QueueFollower({ sql, feed, clock, log, timer, chunker, gate, onQueued: () => workers.wake() });
  let running = false;
  const tryAgain = async (): Promise<void> => {
    await sql.transaction(makeAllDue);
    workers.forgetFailures();
  };
  return {
    gate,
    get lastError() {
      return workers.lastError;
    },
    reindexing: { sql, codec, clock, chunker, settings, providers, store, inFlight, onDone: () => workers.wake() },
    async start() {
      if (running) return;
      await tryAgain();
      await follower.start();
      workers.start();
      running = true;
    },
    async stop() {
      running = false;
      await follower.stop();
      await workers.stop();
    },
    tryAgain,
    forget: () => follower.forget(),
    async settled(signal) {
      await follower.caughtUp(signal);
      await workers.settled();
    },
  };
}
