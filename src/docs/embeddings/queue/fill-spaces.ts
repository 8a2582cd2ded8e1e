import { isDeepStrictEqual } from 'node:util';
import { type Timer, unixSeconds } from '../../../lib/clock.ts';
import { Loop } from '../../../lib/loop.ts';
import type { Queries } from '../../../storage/index.ts';
import { type CollectionConfig, type Collections, endFilling, readUnfilled,
  spacesOf } from '../../collections/index.ts';
import { transact, type UnitOfWork } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { COLLECTION_ID } from '../../stored-collections.ts';
import type { EmbeddingSpace } from '../space.ts';
import type { Spaces } from '../spaces.ts';
import { vectorsChange } from '../store-vectors.ts';
import { removeVectors, SERVER_SPACE } from '../vector-rows.ts';
import type { QueueGate } from './gate.ts';
import { countQueued, type EmbeddingStatus, putStates, removeStates, statusOfOrds, statusPage } from './state-rows.ts';

interface FillerOptions {
  readonly environment: Pick<DocsEnvironment, 'sql' | 'feed' | 'clock' | 'log'>;
  readonly gate: QueueGate;
  readonly spaces: Spaces;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly timer: Timer;
  /** Called when there are new documents in the queue. */
  readonly onQueued: () => void;
}

/** Documents that are queued at once: a fraction of the queue, so that writes find places in it. */
const PAGE = 128;
/** Milliseconds until it looks whether the queue is short enough for more. */
const LOOK_MS = 50;

/**
 * Fills the spaces of collections whose fields have changed, and empties those that they left: documents are queued a
 * few at a time, while writes use the rest of the queue. A start continues what the last one left.
 */
export class SpaceFiller {
  readonly #options: FillerOptions;
  readonly loop: Loop;

  constructor(options: FillerOptions) {
    this.#options = options;
    const { environment: { log }, timer } = options;
    this.loop = new Loop({
      name: 'vector fields of providers',
      everyMs: Infinity,
      backoff: { initial: 1000, max: 60_000 },
      timer,
      log,
      failure: 'vector fields of providers could not be filled; trying again',
    }, (signal) => this.#round(signal));
  }

  /** Resolves when everything is queued that has changed so far. */
  async settled(): Promise<void> {
    await this.loop.settled();
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { environment, collections, spaces } = this.#options;
    const unfilled = await readUnfilled(environment.sql);
    if (unfilled.length === 0) return;
    for (const each of unfilled) {
      const declared = spacesOf(collections.configOf(each.collection));
      // Another process has changed it: the round after it is loaded fills it.
      if (!isDeepStrictEqual(declared, spacesOf(await storedConfig(environment.sql, each.collection)))) continue;
      // Nobody works off what is queued for a space that was left, so it would occupy the queue.
      await this.#empty(each.collection, new Set(declared), signal);
      for (const space of spaces.all())
        if (space.embeds(each.collection)) await this.#fill(space, each.collection, signal);
      if (signal.aborted) return;
      // A field whose provider does not work is filled when it does.
      const isFilled = declared.every((name) => name === SERVER_SPACE || spaces.get(name)?.embeds(each.collection));
      if (!isFilled) continue;
      await environment.sql.transaction((tx) => endFilling(tx, each));
    }
  }

  async #fill(space: EmbeddingSpace, collection: string, signal: AbortSignal): Promise<void> {
    const { environment: { sql, clock }, onQueued } = this.#options;
    for (let after = '', more = true; more && !signal.aborted;) {
      const page = await statusPage(sql.background, space.name, collection, after, unixSeconds(clock), PAGE);
      const due = page.filter(isMissing).map(({ ord }) => ord);
      if (due.length > 0) {
        if (!await this.#hasRoom(signal)) return;
        await this.#transact(async (work) => {
          const missing = (await statusOfOrds(work.tx, space.name, due)).filter(isMissing);
          await putStates(work, space.name,
            missing.map(({ ord, cid }) => ({ ord, cid, state: 'queued', dueAt: clock.now() })));
        });
        onQueued();
      }
      after = page.at(-1)?.id ?? after;
      more = page.length === PAGE;
    }
  }

  /** Removes what a collection has in spaces other than its declared ones. */
  async #empty(collection: string, declared: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { sql } = this.#options.environment;
    for (const space of await spacesIn(sql.background, collection)) {
      if (declared.has(space)) continue;
      for (let last = 0; !signal.aborted;) {
        const rows = await sql.background.all<{ ord: number; id: string }>(
          `SELECT d.ord, d.id FROM embeddings e JOIN documents d ON d.ord = e.ord
           WHERE e.cid = ${COLLECTION_ID} AND e.space = ? AND e.ord > ? ORDER BY e.ord LIMIT ?`,
          [collection, space, last, PAGE],
        );
        if (rows.length === 0) break;
        last = rows.at(-1)!.ord;
        await this.#transact(async (work) => {
          const ords = rows.map(({ ord }) => ord);
          await removeVectors(work, space, ords);
          await removeStates(work, space, ords);
          await work.feed.append(work.tx, rows.map(vectorsChange));
        });
      }
      await this.#transact(async ({ tx }) => {
        await tx.run(`DELETE FROM embedding_states WHERE cid = ${COLLECTION_ID} AND space = ?`, [collection, space]);
      });
    }
  }

  /** False when the signal aborts. */
  async #hasRoom(signal: AbortSignal): Promise<boolean> {
    const { gate, timer } = this.#options;
    while (gate.depth >= Math.min(PAGE, gate.size / 2) && !signal.aborted) await timer.sleep(LOOK_MS, signal);
    return !signal.aborted;
  }

  #transact(steps: (work: UnitOfWork) => Promise<void>): Promise<void> {
    const { environment: { sql, feed, clock }, gate } = this.#options;
    return transact({ sql, feed, clock }, async (work) => {
      await steps(work);
      const queued = await countQueued(work.tx);
      work.tx.onCommit(() => gate.count(queued));
    });
  }
}

/** The part of a stored configuration that decides about spaces, which needs no keys. */
async function storedConfig(queries: Queries, collection: string): Promise<CollectionConfig | undefined> {
  const row = await queries.get<{ config: string }>('SELECT config FROM collection_configs WHERE collection = ?', [
    collection,
  ]);
  return row && JSON.parse(row.config) as CollectionConfig;
}

/** Whether a document has no vectors of its body and no state that says why. */
function isMissing({ embedded, state, crc, bytes }: EmbeddingStatus): boolean {
  return state === undefined && !(embedded?.crc === crc && embedded.bytes === bytes);
}

/** The spaces in which a collection has vectors or documents that wait for them. */
async function spacesIn(queries: Queries, collection: string): Promise<string[]> {
  const rows = await queries.all<{ space: string }>(`SELECT DISTINCT space FROM embeddings WHERE cid = ${COLLECTION_ID}
     UNION SELECT DISTINCT space FROM embedding_states WHERE cid = ${COLLECTION_ID}`, [collection, collection]);
  return rows.map(({ space }) => space);
}
