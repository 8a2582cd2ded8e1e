import { operations, type Operations } from '../../../generated/docs/operations.ts';
import type { Context, Handlers } from '../../operations/index.ts';

type AnyHandler = (input: object, context: Context) => Promise<unknown>;

/** What a write waits for: see `CollectionView.caughtUp`. */
export interface Following {
  caughtUp(signal?: AbortSignal): Promise<void>;
}

/**
 * Handlers whose writes are acknowledged when they can be found (design section 5): each that writes waits for
 * the views. Those that fail have written nothing, or nothing that anybody was told of.
 */
export function acknowledgeCaughtUp<H extends Handlers<Operations>>(handlers: H, ...views: readonly Following[]): H {
  const wrapped = Object.entries(handlers).map(([id, handler]) => {
    const writes = operations[id as keyof Operations].effect !== 'read';
    return [id, writes ? acknowledging(handler as AnyHandler, views) : handler];
  });
  return Object.fromEntries(wrapped) as H;
}

function acknowledging(handler: AnyHandler, views: readonly Following[]): AnyHandler {
  return async (input, context) => {
    const output = await handler(input, context);
    await Promise.all(views.map((view) => view.caughtUp(context.signal)));
    return output;
  };
}
