import { Counter, Histogram, type Registry } from 'prom-client';
import { type Operations, operations } from '../../generated/docs/operations.ts';
import { type Call, caughtUp, count, elsewhere, type InvokerOptions, note, type OperationSpec, patience,
  session } from '../operations/index.ts';
import { Answers, type AskParts, type PartAddress } from '../search/parts/index.ts';
import type { Areas } from './areas.ts';
import type { PartGatherer } from './cluster/index.ts';
import type { Embeddings } from './embeddings/index.ts';
import type { DocsEnvironment, DocsSettings } from './environment.ts';
import { gateStep } from './search-gate.ts';
import { DURATION_BUCKETS } from './system/index.ts';
import { IndexElsewhere, IndexLoading } from './view/index.ts';

export type Steps = NonNullable<InvokerOptions<Operations>['steps']>;

/** Default number of milliseconds that a request waits for the LSN that it names. */
const MIN_LSN_WAIT_MS = 5000;

/** What this service adds to the pipeline of its calls. */
export function stepsOf({ feed, settings }: DocsEnvironment,
  { cluster: { forwarder, gatherer }, columns, gate, geo, stats, temporal, vectorFields, vectors, words }: Areas): Steps
{
  const views = {
    words: words.view,
    columns,
    places: geo.view,
    vectors: vectors.view,
    vectorFields: vectorFields.view,
  };
  return {
    elsewhere: forwarder && elsewhere({
      isElsewhere: (error) => error instanceof IndexElsewhere,
      ask: (call, error) => forwarder.ask(call, error as IndexElsewhere),
      gather: (call, work) => gatherFor(gatherer!, call, work),
    }),
    count: settings.searchStats ? count((...search) => stats.record(...search)) : undefined,
    patience: patience((error) => (error instanceof IndexLoading ? error.changed : undefined)),
    session: session({
      feed,
      views: Object.values(views),
      waitMs: settings.minLsnWaitMs ?? MIN_LSN_WAIT_MS,
    }),
    gate: gateStep(gate, (collection) => words.deps.view.indexOf(collection)?.documents ?? 0),
    caughtUp: caughtUp(views),
    note: temporal.note && note(temporal.note),
  };
}

/** Does the work of a call that may ask other nodes; with `partial`, what is missing is a warning of the answer. */
async function gatherFor(gatherer: PartGatherer, call: Call, work: () => Promise<unknown>): Promise<unknown> {
  const { context: { signal }, input } = call;
  const warnings = new Set<string>();
  const missing = ({ collection, number, of }: PartAddress): void =>
    void warnings.add(`partial: partition ${number + 1} of ${of} of ${collection} is on no node that answers`);
  const isPartial = (input as { readonly partial?: boolean } | undefined)?.partial === true;
  const ask: AskParts = (questions) => gatherer.ask(questions, signal, isPartial ? missing : undefined);
  const output = await new Answers(ask).within(work);
  call.warnings = [...call.warnings, ...warnings];
  return output;
}

const TABLE: Readonly<Record<string, OperationSpec>> = operations;

/**
 * Returns a function that tells whether an operation currently refuses every call, because its feature is switched off
 * or has no provider. Vector searches need none, because they accept a vector instead of a text.
 */
export function switchedOff({ temporal, spell }: Pick<DocsSettings, 'temporal' | 'spell'>,
  embeddings: Pick<Embeddings, 'hasProvider'>): (operation: string) => boolean
{
  const isOff = {
    temporal: () => temporal !== true,
    spell: () => spell?.enabled !== true,
    embedding: () => !embeddings.hasProvider,
  };
  return (operation) => {
    const feature = TABLE[operation]?.feature;
    return feature !== undefined && isOff[feature]();
  };
}

/** Counts and times successful searches of all protocols (decisions section 4.1). */
export class SearchStats {
  #queries: Counter | undefined;
  #duration: Histogram | undefined;

  registerMetrics(registers: Registry[]): void {
    this.#queries = new Counter({
      name: 'svc_search_queries_total',
      help: 'Searches answered.',
      labelNames: ['type', 'algorithm'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'svc_search_duration_seconds',
      help: 'Time to serve a search, including waiting.',
      labelNames: ['type'],
      buckets: DURATION_BUCKETS,
      registers,
    });
  }

  record(type: string, algorithm: string, seconds: number): void {
    this.#queries?.inc({ type, algorithm });
    this.#duration?.observe({ type }, seconds);
  }
}
