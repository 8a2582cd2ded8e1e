import { Gauge, type Registry } from 'prom-client';

/** Adds the metric of the memory of caches between requests, by cache. */
export function registerCacheMetrics(registers: Registry[], bytesOf: () => Readonly<Record<string, number>>): void {
  new Gauge({
    name: 'svc_cache_bytes',
    help: 'Memory of the caches, by cache.',
    labelNames: ['cache'],
    registers,
    collect() {
      for (const [cache, bytes] of Object.entries(bytesOf())) this.set({ cache }, bytes);
    },
  });
}
