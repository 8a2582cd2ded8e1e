import { type Clock, isRecent } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Loop } from '../../lib/loop.ts';
import { BodyUnavailable, inList, type Queries, type Sql } from '../../storage/index.ts';
import { backendOf, type BodyPlace } from './body-place.ts';

/** How long an object may be unreferenced: a write stores it before the transaction that refers to it. */
const MEMORY_GRACE_MS = 60_000;

/** Milliseconds between two collections of a kind of place. */
const INTERVAL_MS = { memory: 60_000, s3: 6 * 3_600_000 } as const;

/** How often the collector checks whether a collection is due, in milliseconds. */
const TICK_MS = 60_000;

const FAILURE = 'unused bodies could not be removed; a later round tries again';

/** Number of names in one query. */
const ASKED_AT_ONCE = 500;

interface CollectorDeps {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  /** How long unreferenced objects in buckets are kept: during this time a restored backup still finds them. */
  readonly graceMs: number;
  places(): readonly BodyPlace[];
  /** Called for a place without objects. */
  emptied(place: BodyPlace): Promise<void>;
}

/** Removes objects to which no document, revision or deleted version refers. */
export class Collector {
  readonly #deps: CollectorDeps;
  readonly #last = new Map<number, number>();
  readonly loop: Loop;
  removed = 0;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
    this.loop = new Loop({ name: 'unused bodies', everyMs: TICK_MS, waitsFirst: true, log: deps.log, failure: FAILURE },
      (signal) => this.collect(signal));
  }

  /** One round over the places that are due; a place that fails is tried again in a later round. */
  async collect(signal: AbortSignal): Promise<void> {
    for (const place of this.#deps.places()) {
      if (signal.aborted) return;
      try {
        if (this.#isDue(place)) await this.#collectFrom(place, signal);
      } catch (error) {
        const { log } = this.#deps;
        if (!signal.aborted)
          log[error instanceof BodyUnavailable ? 'info' : 'warn']({ err: error, collection: place.record.collection },
            FAILURE);
      }
    }
  }

  #isDue({ record: { id, kind } }: BodyPlace): boolean {
    const now = this.#deps.clock.now();
    const last = this.#last.get(id);
    if (last !== undefined && isRecent(last, now, INTERVAL_MS[kind])) return false;
    this.#last.set(id, now);
    return true;
  }

  async #collectFrom(place: BodyPlace, signal: AbortSignal): Promise<void> {
    const { sql, clock, log, graceMs, emptied } = this.#deps;
    const { record } = place;
    const grace = record.kind === 'memory' ? MEMORY_GRACE_MS : graceMs;
    const { removed, left } = await place.collect(clock.now() - grace, (names) => namesOf(sql, place, names), signal);
    this.removed += removed;
    if (removed > 0) log.info({ collection: record.collection, removed }, 'bodies that nothing names were removed');
    if (left === 0 && !signal.aborted) await emptied(place);
  }
}

/** The objects to which a stored version refers. */
async function namesOf(queries: Queries, { record }: Pick<BodyPlace, 'record'>,
  names: readonly string[]): Promise<Set<string>>
{
  const found = new Set<string>();
  for (let i = 0; i < names.length; i += ASKED_AT_ONCE) {
    const { marks, params } = inList(names.slice(i, i + ASKED_AT_ONCE).map((name) => backendOf(record, name)));
    // The first condition is the one of the partial indexes.
    for (const table of ['documents', 'revisions', 'deleted_revisions']) {
      const rows = await queries.all<{ backend: string }>(
        `SELECT DISTINCT backend FROM ${table} WHERE backend <> 'boltdb' AND backend IN (${marks})`,
        params,
      );
      for (const { backend } of rows) found.add(backend.slice(backend.lastIndexOf(':') + 1));
    }
  }
  return found;
}
