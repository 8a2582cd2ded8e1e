import { Counter, Gauge, type Registry } from 'prom-client';
import type { BodyPlace } from './body-place.ts';
import type { Collector } from './collector.ts';
import type { MemoryBudget } from './memory-store.ts';
import type { RecordCache } from './record-cache.ts';
import type { StoreOperation } from './steady-store.ts';

export interface BodyCounts {
  readonly cache: RecordCache;
  readonly memory: MemoryBudget;
  /** Requests to buckets. */
  readonly requests: Map<`${StoreOperation} ${'ok' | 'failed'}`, number>;
  readonly collector: Pick<Collector, 'removed'>;
  places(): readonly BodyPlace[];
}

export function registerMetrics(registers: Registry[],
  { cache, memory, requests, collector, places }: BodyCounts): void
{
  new Gauge({
    name: 'svc_body_cache_bytes',
    help: 'Bytes of bodies from buckets that are kept in memory.',
    registers,
    collect() {
      this.set(cache.bytes);
    },
  });
  new Counter({
    name: 'svc_body_cache_reads_total',
    help: 'Reads of bodies that are in buckets, by whether they were in memory.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      this.inc({ result: 'hit' }, cache.hits);
      this.inc({ result: 'miss' }, cache.misses);
    },
  });
  new Gauge({
    name: 'svc_body_memory_bytes',
    help: 'Bytes of bodies whose collections keep them in memory only.',
    registers,
    collect() {
      this.set(memory.bytes);
    },
  });
  new Counter({
    name: 'svc_body_store_requests_total',
    help: 'Requests to buckets, attempts counted each.',
    labelNames: ['operation', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [label, count] of requests) {
        const [operation, outcome] = label.split(' ') as [string, string];
        this.inc({ operation, outcome }, count);
      }
    },
  });
  new Counter({
    name: 'svc_body_objects_removed_total',
    help: 'Objects removed because nothing names them.',
    registers,
    collect() {
      this.reset();
      this.inc(collector.removed);
    },
  });
  new Gauge({
    name: 'svc_body_stores',
    help: 'Places of bodies outside of the database: `down` are those that do not serve at present.',
    labelNames: ['kind', 'state'],
    registers,
    collect() {
      for (const kind of ['memory', 's3'] as const) {
        const all = places().filter(({ record }) => record.kind === kind);
        const down = all.filter(({ isDown }) => isDown).length;
        this.set({ kind, state: 'up' }, all.length - down);
        this.set({ kind, state: 'down' }, down);
      }
    },
  });
}
