import type { Reply } from '../../../operations/index.ts';
import type { Timer } from '../../../lib/timer.ts';
import { callerOf, type CallContext } from './call-context.ts';
import type { AnyInvoke } from './tool.ts';

/** Time between two notifications: clients wait longer for an answer while they hear of progress. */
const INTERVAL_MS = 2000;

/** What a notification grows by when nothing was finished since the last: the protocol asks that it grows. */
const ALIVE = 0.001;

export interface ProgressParts {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly invoke: AnyInvoke;
  readonly context: CallContext;
  readonly timer: Timer;
}

/** How far a long tool has come. */
interface Meter {
  /** What the work comes to; told with each step. */
  total(): Promise<number>;
  /** How much of it is done; absent where nobody can tell before the end. */
  done?(): Promise<number>;
  readonly unit: string;
}

/**
 * Runs the work of a tool that may take long and reports how far it has come, where the client asked
 * for that (decision D-118): at the beginning, every two seconds, and at the end.
 */
export async function withProgress(parts: ProgressParts, work: () => Promise<Reply<unknown>>): Promise<Reply<unknown>> {
  const { report } = parts.context;
  const meter = report === undefined ? undefined : METERS[parts.tool]?.(parts);
  if (report === undefined || meter === undefined) return work();
  const total = await meter.total();
  const told = { progress: 0 };
  await report({ progress: 0, total, message: `0 of ${total} ${meter.unit}` });
  const ended = new AbortController();
  const ticking = tick(parts, meter, total, told, ended.signal);
  try {
    const reply = await work();
    ended.abort();
    await ticking;
    if (told.progress < total) await report({ progress: total, total, message: `${total} of ${total} ${meter.unit}` });
    return reply;
  } finally {
    ended.abort();
  }
}

async function tick({ context, timer }: ProgressParts, meter: Meter, total: number, told: { progress: number }, ended: AbortSignal): Promise<void> {
  for (;;) {
    await timer.sleep(INTERVAL_MS, ended);
    if (ended.aborted || context.signal.aborted) return;
    const done = Math.min((await meter.done?.()) ?? 0, total);
    told.progress = Math.max(done, told.progress + ALIVE);
    await context.report?.({ progress: told.progress, total, message: `${Math.floor(told.progress)} of ${total} ${meter.unit}` });
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

/** The state of embeddings tells how far a reindexing has come; one that is forced embeds what counts as embedded already. */
function embeddedDocuments({ input, invoke, context }: ProgressParts): Meter {
  const read = async (): Promise<{ total_documents: number; embedded_documents: number } | undefined> => {
    try {
      const { value } = await invoke('getVectorStats', {}, callerOf(context));
      const { collections } = value as { collections: Record<string, { total_documents: number; embedded_documents: number }> };
      const { collection } = input;
      return typeof collection === 'string' && Object.hasOwn(collections, collection.toLowerCase()) ? collections[collection.toLowerCase()] : undefined;
    } catch {
      return undefined; // the caller may not read it; the work itself tells what is wrong with the call
    }
  };
  return {
    unit: 'documents',
    total: async () => (await read())?.total_documents || 1,
    ...(input['force'] === true ? {} : { done: async () => (await read())?.embedded_documents ?? 0 }),
  };
}
