import { currentTracing } from '../../lib/tracing.ts';
import type { Step } from '../call.ts';
import type { ViewName } from '../spec.ts';

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
