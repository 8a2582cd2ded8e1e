import { Counter, Histogram, type Registry } from 'prom-client';
import { DURATION_BUCKETS } from './system/index.ts';

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
