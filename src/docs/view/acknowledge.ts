import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { currentTracing, type Tracing } from '../../lib/tracing.ts';
import type { Context, Handlers } from '../../operations/index.ts';

type AnyHandler = (input: object, context: Context) => Promise<unknown>;

/** A view that a write waits for: see `CollectionView.caughtUp`. */
export interface Following {
  /** Whether `caughtUp` would resolve at once, if that is known without a query. */
  readonly isCaughtUp: boolean;
  caughtUp(signal?: AbortSignal): Promise<void>;
}

/** The areas whose operations of effect `write` put, change or remove documents. */
const WRITING_AREAS: ReadonlySet<string> = new Set(['documents', 'ingest', 'memory']);

/**
 * Operations of those areas that do not change what a search finds, such as old revisions, or that write later and wait
 * themselves if necessary.
 */
const BESIDE_DOCUMENTS: ReadonlySet<keyof Operations> = new Set<keyof Operations>(['truncateRevisions',
  'submitBulkIngest', 'cancelBulkIngest', 'importDocuments']);

/**
 * Handlers whose writes are acknowledged when they can be found (design section 5). Only handlers that write documents
 * wait for the views, so that an index that is behind delays neither a sign-in nor a health check. Handlers that fail
 * have written nothing, or nothing that was acknowledged.
 */
export function acknowledgeCaughtUp<H extends Handlers<Operations>>(handlers: H, ...views: readonly Following[]): H {
  const wrapped = Object.entries(handlers).map((
    [id, handler],
  ) => [id, writesDocuments(id as keyof Operations) ? whenCaughtUp(handler as AnyHandler, ...views) : handler]);
  return Object.fromEntries(wrapped) as H;
}

/** A handler that resolves when the views include what it wrote. */
export function whenCaughtUp<Input, Output>(handler: (input: Input, context: Context) => Promise<Output>,
  ...views: readonly Following[]): (input: Input, context: Context) => Promise<Output>
{
  return async (input, context) => {
    const output = await handler(input, context);
    const tracing = currentTracing();
    // The views work while the disk does, so they usually have the write by now.
    if (tracing === undefined && views.every(({ isCaughtUp }) => isCaughtUp)) return output;
    await (tracing === undefined ? caughtUp(views, context.signal) : caughtUpTraced(tracing, views, context.signal));
    return output;
  };
}

async function caughtUp(views: readonly Following[], signal: AbortSignal): Promise<void> {
  await Promise.all(views.map((view) => view.caughtUp(signal)));
}

function caughtUpTraced(tracing: Tracing, views: readonly Following[], signal: AbortSignal): Promise<void> {
  return tracing.within({ name: 'wait for indexes' }, () => caughtUp(views, signal));
}

function writesDocuments(id: keyof Operations): boolean {
  const { effect, area } = operations[id];
  return effect === 'write' && WRITING_AREAS.has(area) && !BESIDE_DOCUMENTS.has(id);
}
