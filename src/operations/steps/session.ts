import { ServiceError } from '../../errors/index.ts';
import { systemTimer, type Timer } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import { currentTracing } from '../../lib/tracing.ts';
import type { Step } from '../call.ts';
import type { ViewName } from '../spec.ts';

/** A view that a read may have to wait for. */
export interface Reaching {
  reached(lsn: number, signal: AbortSignal): Promise<void>;
}

interface SessionDeps {
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

/** A view that a write waits for. */
export interface Following {
  /** Whether `caughtUp` would resolve at once, if that is known without a query. */
  readonly isCaughtUp: boolean;
  caughtUp(signal?: AbortSignal): Promise<void>;
}

/**
 * A write is acknowledged when it can be found (design section 5): when the views that its operation waits for include
 * it. An index that is behind delays neither a sign-in nor a health check. Calls that fail have written nothing, or
 * nothing that was acknowledged.
 */
export function caughtUp(views: Readonly<Partial<Record<ViewName, Following>>>): Step {
  return {
    appliesTo: ({ waitsFor }) => waitsFor !== undefined,
    async run(call, next) {
      const output = await next(call);
      const awaited = call.spec.waitsFor!.flatMap((name) => views[name] ?? []);
      const tracing = currentTracing();
      // The views work while the disk does, so they usually have the write by now.
      if (tracing === undefined && awaited.every(({ isCaughtUp }) => isCaughtUp)) return output;
      const wait = async (): Promise<void> => {
        await Promise.all(awaited.map((view) => view.caughtUp(call.context.signal)));
      };
      await (tracing === undefined ? wait() : tracing.within({ name: 'wait for indexes' }, wait));
      return output;
    },
  };
}

/** Applies what other nodes have committed. Operations about the node itself need no store (`x-probe: node`). */
export function follow(refresh: () => Promise<void>): Step {
  return {
    appliesTo: ({ probe }) => probe !== 'node',
    async run(call, next) {
      await refresh();
      return next(call);
    },
  };
}
