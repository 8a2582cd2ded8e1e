import { Counter, type Registry } from 'prom-client';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { systemTimer, type Timer, unixSeconds } from '../../lib/clock.ts';
import { Loop } from '../../lib/loop.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Context, Handlers } from '../../operations/index.ts';
import { type Change, CHANGE_FLAGS, forgetCursor, storedCursor, Subscriber } from '../../storage/index.ts';
import type { Collections } from '../collections/index.ts';
import { collectionOfId, type Documents, identify } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { AccessRecorder } from './access-recorder.ts';
import { countByDay, forgetReads, insertEvents, readEvents, readHot, removeOlder,
  type TemporalRow } from './event-rows.ts';

type TemporalHandlers = Required<
  Pick<Handlers<Operations>, 'queryTemporal' | 'listHotDocuments' | 'getTemporalHistogram'>
>;

/** When documents were written and read (decisions, section 4.10). */
export interface Temporal {
  readonly handlers: TemporalHandlers;
  /** Notes who reads a document, if its collection tracks that; absent while tracking is off. */
  readonly note: ((document: { readonly id: string }, context: Context) => void) | undefined;
  /** Follows writes. Not for read-only servers, which record nothing. */
  work(): void;
  /** The database was replaced. */
  restart(): Promise<void>;
  /** Writes what is in memory; may be called twice. */
  stop(): Promise<void>;
  registerMetrics(registers: Registry[]): void;
}

interface TemporalAreas {
  readonly collections: Pick<Collections, 'configOf'>;
  readonly documents: Pick<Documents, 'readDocument'>;
  readonly timer?: Timer;
}

const CURSOR = 'temporal';
const DAY = 86_400;
const RETENTION = 90 * DAY;
const DEFAULT_SPAN = 30 * DAY;
const PRUNE_MS = 3_600_000;

/** Maximum number of rows that one transaction removes, so that writers wait only for milliseconds. */
const PRUNE_STEP = 2000;

export function createTemporal(environment: DocsEnvironment,
  { collections, documents, timer = systemTimer }: TemporalAreas): Temporal
{
  const { sql, feed, clock, log, settings: { temporal: isEnabled = false, mode } } = environment;
  const recorder = new AccessRecorder({ sql, clock, timer, log });
  const pruning = new Loop({
    name: 'temporal events',
    everyMs: PRUNE_MS,
    timer,
    log,
    failure: 'old events of temporal tracking could not be removed',
  }, (signal) => prune(environment, signal));
  const subscriber = new Subscriber({
    feed,
    timer,
    cursor: storedCursor(sql, CURSOR),
    begin: 'head',
    onGap: async ({ head }) => head,
    onFailure: (error, failures) =>
      log.warn({ err: error, failures }, 'temporal tracking could not follow the change feed; trying again'),
    handle: (changes) => follow(environment, changes),
  });
  let leaving: Promise<void> | undefined;
  return {
    handlers: createHandlers(environment, documents, recorder),
    note: isEnabled && mode !== 'read'
      ? ({ id }, { identity }) => {
        const collection = collectionOfId(id);
        const { trackAccess = false, trackHot = false } = collections.configOf(collection) ?? {};
        if (!trackAccess && !trackHot) return;
        recorder.note({ docId: id, collection, actor: identity.username, isEvent: trackAccess, counts: trackHot });
      }
      : undefined,
    work() {
      if (!isEnabled) {
        leaving ??= leaveFeed(environment);
        return;
      }
      subscriber.start();
      pruning.start();
    },
    async restart() {
      recorder.forget();
    },
    async stop() {
      await pruning.stop();
      await subscriber.stop();
      await leaving;
      await recorder.stop();
    },
    registerMetrics(registers) {
      new Counter({
        name: 'svc_temporal_lost_total',
        help: 'Reads that were not written down because too many waited for it.',
        registers,
        collect() {
          this.reset();
          this.inc(recorder.lost);
        },
      });
    },
  };
}

function createHandlers({ sql, clock, settings }: DocsEnvironment, { readDocument }: Pick<Documents, 'readDocument'>,
  recorder: AccessRecorder): TemporalHandlers
{
  const ready = async (): Promise<number> => {
    if (settings.temporal !== true) throw new ServiceError('invalid_argument', 'temporal tracking is disabled');
    // Recent reads must be included.
    await recorder.flush().catch(() => undefined);
    return unixSeconds(clock);
  };
  return {
    async queryTemporal({ collection, key, lang, eventType, from, to, limit }) {
      const now = await ready();
      const { id: docId } = identify(collection, key, lang);
      const { rows, total } = await readEvents(sql, { docId, type: eventType, ...spanOf(now, from, to) }, limit);
      const events = rows.flatMap(({ collection: name, type, at, actor, n }) =>
        Array.from({ length: Math.min(n, limit) },
          () => ({ docId, collection: name, eventType: type, timestamp: at, actor: actor || undefined }))
      );
      return { collection, docId, events: events.slice(0, limit), total };
    },
    async listHotDocuments({ collection, topN, since = 0 }, { budget }) {
      const now = await ready();
      const entries = [];
      for (const { docId, reads, lastAt, key, lang } of await readHot(sql, {
        collection: collection.toLowerCase(),
        since,
        now,
        limit: topN,
      })) {
        const document = await readDocument({ collection, key, lang });
        if (document === undefined) continue;
        const entry = { docId, accessCount: reads, lastAccessAt: lastAt, document: withoutChecksum(document) };
        if (!budget.take(Buffer.byteLength(JSON.stringify(document)))) break;
        entries.push(entry);
      }
      return { collection, entries, truncated: budget.isSpent || undefined };
    },
    async getTemporalHistogram({ collection, eventType, interval, from, to }) {
      const now = await ready();
      const days = await countByDay(sql.background, {
        collection: collection.toLowerCase(),
        type: eventType,
        ...spanOf(now, from, to),
      });
      return { collection, eventType, interval, buckets: bucketsOf(days, interval) };
    },
  };
}

/** Lists have no checksums. */
function withoutChecksum({ checksum: _, ...document }: Document): Document {
  return document;
}

/** Events older than the retention period may not have been removed yet. */
function spanOf(now: number, from = now - DEFAULT_SPAN, to = now): { from: number; to: number } {
  if (from > to) throw new ServiceError('invalid_argument', `from must not be after to, got ${from} and ${to}`);
  return { from: Math.max(from, now - RETENTION), to };
}

async function follow({ sql }: DocsEnvironment, changes: readonly Change[]): Promise<void> {
  const written: TemporalRow[] = [];
  const gone: string[] = [];
  const deleted: string[] = [];
  for (const { kind, collection, docId, lsn, at, flags } of changes) {
    if (isSystemCollection(collection)) continue;
    if (kind === 'doc.put')
      written.push({
        lsn,
        collection,
        docId: docId!,
        type: (flags & CHANGE_FLAGS.CREATED) === 0 ? 'update' : 'create',
        at: Math.floor(at / 1000),
        actor: '',
        n: 1,
      });
    else if (kind === 'doc.delete') gone.push(docId!);
    else if (kind === 'collection.delete') deleted.push(collection);
  }
  if (written.length + gone.length + deleted.length === 0) return;
  await sql.transaction(async (tx) => {
    await insertEvents(tx, written);
    await forgetReads(tx, gone);
    // Events after the deletion of the collection belong to a new one of the same name.
    for (const name of deleted) {
      const { lsn } = changes.findLast((change) => change.kind === 'collection.delete' && change.collection === name)!;
      await tx.run('DELETE FROM temporal_events WHERE collection = ? AND (lsn IS NULL OR lsn < ?)', [name, lsn]);
      await tx.run('DELETE FROM temporal_hot WHERE collection = ?', [name]);
    }
  });
}

/** Writes during the time without tracking are not recorded later, so the feed need not keep them. Never rejects. */
async function leaveFeed({ sql, log }: DocsEnvironment): Promise<void> {
  try {
    if ((await storedCursor(sql, CURSOR).load()) !== undefined) await forgetCursor(sql, CURSOR);
  } catch (error) {
    log.warn({ err: error }, 'temporal tracking could not give up its place in the change feed');
  }
}

async function prune({ sql, clock }: DocsEnvironment, signal: AbortSignal): Promise<void> {
  const before = unixSeconds(clock) - RETENTION;
  while (!signal.aborted && (await sql.transaction((tx) => removeOlder(tx, before, PRUNE_STEP))) === PRUNE_STEP);
}

type Interval = 'day' | 'week' | 'month';

/** Unix seconds; `to` is excluded: it belongs to the next bucket. */
interface Bucket {
  readonly from: number;
  readonly to: number;
  count: number;
}

/** 1970-01-01 was a Thursday, the fourth day of an ISO week. */
const THURSDAY = 3;

/** The days as intervals in UTC, in their order; those without events are left out. */
export function bucketsOf(days: readonly { readonly day: number; readonly count: number }[],
  interval: Interval): Bucket[]
{
  const buckets: Bucket[] = [];
  for (const { day, count } of days) {
    const last = buckets.at(-1);
    if (last !== undefined && day * DAY < last.to) last.count += count;
    else buckets.push({ ...boundsOf(day, interval), count });
  }
  return buckets;
}

function boundsOf(day: number, interval: Interval): { from: number; to: number } {
  if (interval === 'day') return { from: day * DAY, to: (day + 1) * DAY };
  if (interval === 'week') {
    const monday = day - ((day + THURSDAY) % 7);
    return { from: monday * DAY, to: (monday + 7) * DAY };
  }
  const date = new Date(day * DAY * 1000);
  const monthFrom = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / 1000;
  return { from: monthFrom(0), to: monthFrom(1) };
}
