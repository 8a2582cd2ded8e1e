import { ServiceError } from '../../errors/index.ts';
import { systemTimer, type Timer } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import { currentTracing } from '../../lib/tracing.ts';
import type { Step } from '../call.ts';

/** A view that a read may have to wait for. */
export interface Reaching {
  reached(lsn: number, signal: AbortSignal): Promise<void>;
}

export interface SessionDeps {
  /** The change feed: the highest LSN that is applied, that this process knows, and that is stored. */
  readonly feed: Reaching & {
    readonly settled: number | undefined;
    readonly known: number | undefined;
    head(): Promise<number>;
  };
  readonly views: readonly Reaching[];
  /** Milliseconds that a request waits for the number that it names. */
  readonly waitMs: number;
  readonly timer?: Timer;
}

/**
 * Keeps the guarantees of sessions (docs/consistency.md): each write returns to its caller the number of the feed that
 * includes it. A request that names a number waits until the store includes it and, if it reads them, the views; a read
 * that names one returns the number up to which it read. Throws `lsn_not_reached` when that takes too long: the number
 * is one of another database, or this node is behind.
 */
export function session(deps: SessionDeps): Step {
  return {
    appliesTo: ({ probe }) => probe === undefined,
    async run(call, next) {
      const { spec: { effect, tables }, caller: { minLsn, onLsn }, context } = call;
      if (minLsn !== undefined) {
        await reachTraced(minLsn, effect === 'write' || tables === true ? [] : deps.views, context.signal, deps);
        await context.requirePermission();
      }
      const output = await next(call);
      // For a write, its own number or a later one. For a read, at least the number of everything that it returns.
      if (effect === 'write' || minLsn !== undefined) {
        onLsn?.((effect === 'write' ? deps.feed.known : deps.feed.settled) ?? (await deps.feed.head()));
      }
      return output;
    },
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
