import type { Timer } from '../../../lib/clock.ts';
import { type Collections, spacesOf } from '../../collections/index.ts';
import { collectionOfId, type PendingDocument } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { EmbeddingSettings } from '../settings.ts';
import type { Spaces } from '../spaces.ts';
import { SpaceFiller } from './fill-spaces.ts';
import { QueueFollower } from './follower.ts';
import { QueueGate } from './gate.ts';
import { makeAllDue, statusOfIds } from './state-rows.ts';

interface QueueDeps {
  readonly gate: QueueGate;
  readonly spaces: Spaces;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly timer: Timer;
  /** Called when the configuration of a collection has changed. */
  readonly onConfigured: () => void;
}

/** The queue of documents to embed, from the change feed to the database. */
interface EmbeddingQueue {
  /** Why a provider failed last; undefined after it has succeeded again. */
  readonly lastError: string | undefined;
  /** Starts what does not run yet, as after a space was opened. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Makes failed documents that may succeed due at once, as at each start; call this when a provider has changed. */
  tryAgain(): Promise<void>;
  /** Removes the position in the feed. */
  forget(): Promise<void>;
  /** Looks for collections whose spaces have changed. */
  fill(): void;
  /** Resolves when everything written so far was tried. */
  settled(signal?: AbortSignal): Promise<void>;
}

/** Counts the documents of all spaces. */
export function createGate({ sql, clock }: Pick<DocsEnvironment, 'sql' | 'clock'>,
  { settings, collections, timer }: Pick<QueueDeps, 'collections' | 'timer'> & {
    readonly settings: EmbeddingSettings;
  }): QueueGate
{
  // A document whose vectors are those of this body, or that waits already, needs no further place.
  const needing = async (documents: readonly PendingDocument[]): Promise<PendingDocument[]> => {
    const bySpace = Map.groupBy(documents, ({ id }) => spacesOf(collections.configOf(collectionOfId(id)))[0]);
    const needing: PendingDocument[] = [];
    for (const [space, some] of bySpace) {
      if (space === undefined) continue;
      const known = new Map(
        (await statusOfIds(sql, space, some.map(({ id }) => id))).map((status) => [status.id, status]),
      );
      needing.push(...some.filter(({ id, crc, bytes }) => {
        const { embedded, state } = known.get(id) ?? {};
        return state !== 'queued' && !(embedded?.crc === crc && embedded.bytes === bytes);
      }));
    }
    return needing;
  };
  return new QueueGate({ size: settings.queueSize, waitMs: settings.queueWaitMs, clock, timer, needing });
}

export function createQueue(environment: DocsEnvironment,
  { gate, spaces, collections, timer, onConfigured }: QueueDeps): EmbeddingQueue
{
  const { sql, feed, clock, log } = environment;
  const wake = (): void => {
    for (const { workers } of spaces.all()) workers.wake();
  };
  const follower = new QueueFollower({
    sql,
    feed,
    clock,
    log,
    timer,
    spaces: () => spaces.all(),
    gate,
    onQueued: wake,
    onConfigured,
  });
  const filler = new SpaceFiller({ environment, gate, spaces, collections, timer, onQueued: wake });
  let running = false;
  const tryAgain = async (): Promise<void> => {
    await sql.transaction(makeAllDue);
    for (const { workers } of spaces.all()) workers.forgetFailures();
  };
  return {
    get lastError() {
      return [...spaces.all()].find(({ workers }) => workers.lastError !== undefined)?.workers.lastError;
    },
    async start() {
      if (!running) {
        await tryAgain();
        await follower.start();
        filler.loop.start();
      }
      for (const { workers } of spaces.all()) workers.start();
      running = true;
    },
    async stop() {
      running = false;
      await filler.loop.stop();
      await follower.stop();
      for (const { workers } of spaces.all()) await workers.stop();
    },
    tryAgain,
    forget: () => follower.forget(),
    fill: () => filler.loop.wake(),
    async settled(signal) {
      await follower.caughtUp(signal);
      await filler.settled();
      for (const { workers } of spaces.all()) await workers.settled();
    },
  };
}
