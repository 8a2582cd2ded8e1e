import type { Timer } from '../../../lib/clock.ts';
import type { Reply } from '../../../operations/index.ts';
import { type CallContext, callerOf } from './call-context.ts';
import type { AnyInvoke } from './tool.ts';

/** Milliseconds between two notifications; clients wait longer for a result while they receive progress. */
const INTERVAL_MS = 2000;

/**
 * Increment of the progress if nothing was finished since the last notification: the protocol requires that it
 * increases.
 */
const ALIVE = 0.001;

export interface ProgressParts {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly invoke: AnyInvoke;
  readonly context: CallContext;
  readonly timer: Timer;
}

/** Measures the progress of a long tool. */
interface Meter {
  /** The total amount of work; sent with each step. */
  total(): Promise<number>;
  /** The amount that is done; absent if it cannot be known before the end. */
  done?(): Promise<number>;
  readonly unit: string;
}

/**
 * Runs a tool that may take long and reports its progress if the client asked for it: at the
 * beginning, every two seconds, and at the end.
 */
export async function withProgress(parts: ProgressParts, work: () => Promise<Reply<unknown>>): Promise<Reply<unknown>> {
  const { report } = parts.context;
  const meter = report === undefined ? undefined : METERS[parts.tool]?.(parts);
  if (report === undefined || meter === undefined) return work();
  const total = await meter.total();
  const reported = { progress: 0 };
  await report({ progress: 0, total, message: `0 of ${total} ${meter.unit}` });
  const ended = new AbortController();
  const ticking = tick(parts, meter, total, reported, ended.signal);
  try {
    const reply = await work();
    ended.abort();
    await ticking;
    if (reported.progress < total)
      await report({ progress: total, total, message: `${total} of ${total} ${meter.unit}` });
    return reply;
  } finally {
    ended.abort();
  }
}

async function tick({ context, timer }: ProgressParts, meter: Meter, total: number, reported: { progress: number },
  ended: AbortSignal): Promise<void>
{
  for (;;) {
    await timer.sleep(INTERVAL_MS, ended);
    if (ended.aborted || context.signal.aborted) return;
    const done = Math.min((await meter.done?.()) ?? 0, total);
    reported.progress = Math.max(done, reported.progress + ALIVE);
    await context.report?.({
      progress: reported.progress,
      total,
      message: `${Math.floor(reported.progress)} of ${total} ${meter.unit}`,
    });
  }
}

const METERS: Readonly<Record<string, (parts: ProgressParts) => Meter>> = {
  vector_reindex: embeddedDocuments,
  ingest_documents: givenDocuments,
  add_documents_batch: givenDocuments,
  fts_reindex: () => whole('index'),
  geo_reindex: () => whole('index'),
  create_backup: () => whole('backup'),
  restore_backup: () => whole('database'),
  import_url: () => whole('page'),
  import_wiki: () => whole('dump'),
};

const whole = (unit: string): Meter => ({ total: async () => 1, unit });

function givenDocuments({ input }: ProgressParts): Meter {
  const { documents } = input;
  return { total: async () => (Array.isArray(documents) ? documents.length : 1), unit: 'documents' };
}

/**
 * The state of embeddings shows the progress of a reindexing; a forced one re-embeds documents that already count as
 * embedded.
 */
function embeddedDocuments({ input, invoke, context }: ProgressParts): Meter {
  const read = async (): Promise<{ total_documents: number; embedded_documents: number } | undefined> => {
    try {
      const { value } = await invoke('getVectorStats', {}, callerOf(context));
      const { collections } = value as {
        collections: Record<string, { total_documents: number; embedded_documents: number }>;
      };
      const { collection } = input;
      return typeof collection === 'string' && Object.hasOwn(collections, collection.toLowerCase())
        ? collections[collection.toLowerCase()]
        : undefined;
    } catch {
      return undefined; // the caller may not read it; the tool itself reports what is wrong with the call
    }
  };
  return {
    unit: 'documents',
    total: async () => (await read())?.total_documents || 1,
    done: input['force'] === true ? undefined : async () => (await read())?.embedded_documents ?? 0,
  };
}
