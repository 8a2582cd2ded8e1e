import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { formatDuration } from '../../lib/duration.ts';
import { systemTimer, type Timer } from '../../lib/timer.ts';
import { currentTracing } from '../../lib/tracing.ts';
import { type Context, type Handlers, UNLIMITED_OPERATIONS } from '../../operations/index.ts';
import type { ChangeFeed } from '../../storage/index.ts';

type AnyHandler = (input: object, context: Context) => Promise<unknown>;

/** A view that a read may have to wait for: see `CollectionView.reached`. */
export interface Reaching {
  reached(lsn: number, signal: AbortSignal): Promise<void>;
}

export interface SessionDeps {
  readonly feed: Pick<ChangeFeed, 'settled' | 'known' | 'head' | 'reached'>;
  readonly views: readonly Reaching[];
  /** Milliseconds that a request waits for the number that it names. */
  readonly waitMs: number;
  readonly timer?: Timer;
}

/** Reads that need only the tables. */
const WITHOUT_VIEWS: ReadonlySet<keyof Operations> = new Set<keyof Operations>(['getDocument', 'getDocumentMeta',
  'listRevisions', 'exportDocuments', 'encodeGeohash', 'decodeGeohash', 'getSchema', 'listSchemas',
  'getCollectionConfig', 'listCollectionConfigs']);

/**
 * Handlers that keep the guarantees of sessions (docs/consistency.md): each write returns to its caller the number of
 * the feed that includes it. A request that names a number waits until the store includes it and, if it reads them, the
 * views; a read that names one returns the number up to which it read. Throws `lsn_not_reached` when that takes too
 * long: the number is one of another database, or this node is behind.
 */
export function withSessions<H extends Handlers<Operations>>(handlers: H, deps: SessionDeps): H {
  const wrapped = Object.entries(handlers).map((
    [id, handler],
  ) => [id,
    UNLIMITED_OPERATIONS.includes(id) ? handler : withSession(id as keyof Operations, handler as AnyHandler, deps)]
  );
  return Object.fromEntries(wrapped) as H;
}

function withSession(id: keyof Operations, handler: AnyHandler, deps: SessionDeps): AnyHandler {
  const { effect } = operations[id];
  const views = effect === 'write' || WITHOUT_VIEWS.has(id) ? [] : deps.views;
  return async (input, context) => {
    const { minLsn, onLsn } = context.caller;
    if (minLsn !== undefined) {
      await reachTraced(minLsn, views, context.signal, deps);
      await context.requirePermission();
    }
    const output = await handler(input, context);
    // For a write, its own number or a later one. For a read, at least the number of everything that it returns.
    if (effect === 'write' || minLsn !== undefined)
      onLsn?.((effect === 'write' ? deps.feed.known : deps.feed.settled) ?? (await deps.feed.head()));
    return output;
  };
}

function reachTraced(...wanted: Parameters<typeof reach>): Promise<void> {
  const tracing = currentTracing();
  return tracing === undefined ? reach(...wanted) : tracing.within({ name: 'wait for an LSN' }, () => reach(...wanted));
}

async function reach(lsn: number, views: readonly Reaching[], signal: AbortSignal,
  { feed, waitMs, timer = systemTimer }: SessionDeps): Promise<void>
{
  const over = new AbortController();
  const late = new AbortController();
  const waiting = AbortSignal.any([signal, late.signal]);
  void timer.sleep(waitMs, over.signal).then(() =>
    late.abort(
      new ServiceError('lsn_not_reached', `this server has not reached LSN ${lsn} within ${formatDuration(waitMs)}`, {
        headers: { 'Retry-After': '1' },
      }),
    )
  );
  try {
    await feed.reached(lsn, waiting);
    await Promise.all(views.map((view) => view.reached(lsn, waiting)));
  } finally {
    over.abort();
  }
}
