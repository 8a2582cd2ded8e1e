import { Counter, Histogram, type Registry } from 'prom-client';
import type { Operations } from '../../generated/docs/operations.ts';
import type { Context, Handlers } from '../operations/index.ts';
import { DURATION_BUCKETS } from './system/index.ts';

/** For each search, its name in the metrics and the field of its response that names the algorithm. */
const SEARCHES = {
  searchFullText: { type: 'fts', algorithm: 'algorithm' },
  searchFullTextByQuery: { type: 'fts', algorithm: 'algorithm' },
  searchVectors: { type: 'vector', algorithm: 'algorithm' },
  findSimilar: { type: 'similar', algorithm: 'algorithm' },
  searchHybrid: { type: 'hybrid', algorithm: 'ftsAlgorithm' },
  searchAcrossCollections: { type: 'cross', algorithm: 'algorithm' },
  recallMemory: { type: 'memory', algorithm: 'strategy' },
} as const satisfies Partial<Record<keyof Operations, object>>;

type AnyHandler = (input: object, context: Context) => Promise<object>;

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

  /** The handlers; those in `SEARCHES` are counted. */
  counted(handlers: Handlers<Operations>): Handlers<Operations> {
    const searches = Object.entries(SEARCHES).flatMap(([id, search]) => {
      const handler = handlers[id as keyof typeof SEARCHES] as AnyHandler | undefined;
      return handler === undefined ? [] : [[id, this.#counting(handler, search)] as const];
    });
    return { ...handlers, ...(Object.fromEntries(searches) as Handlers<Operations>) };
  }

  #counting(handler: AnyHandler,
    { type, algorithm }: { readonly type: string; readonly algorithm: string }): AnyHandler
  {
    return async (input, context) => {
      const started = performance.now();
      const answer = await handler(input, context);
      this.#queries?.inc({ type, algorithm: String((answer as Readonly<Record<string, unknown>>)[algorithm]) });
      this.#duration?.observe({ type }, (performance.now() - started) / 1000);
      return answer;
    };
  }
}
