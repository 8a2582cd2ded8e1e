import { operations, type Operations } from '../../../../generated/docs/operations.ts';
import type { Context, Handlers } from '../../../operations/index.ts';
import type { FullTextView } from './fulltext-view.ts';

type AnyHandler = (input: object, context: Context) => Promise<unknown>;

/**
 * Handlers whose writes are acknowledged when they can be found (design section 5): each that writes waits for
 * the view. Those that fail have written nothing, or nothing that anybody was told of.
 */
export function acknowledgeCaughtUp<H extends Handlers<Operations>>(handlers: H, view: Pick<FullTextView, 'caughtUp'>): H {
  const wrapped = Object.entries(handlers).map(([id, handler]) => {
    const writes = operations[id as keyof Operations].effect !== 'read';
    return [id, writes ? acknowledging(handler as AnyHandler, view) : handler];
  });
  return Object.fromEntries(wrapped) as H;
}

function acknowledging(handler: AnyHandler, view: Pick<FullTextView, 'caughtUp'>): AnyHandler {
  return async (input, context) => {
    const output = await handler(input, context);
    await view.caughtUp(context.signal);
    return output;
  };
}
