import { readFileSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';
import type { ProcessMemory } from '../../../generated/docs/sdk/types.gen.ts';

/** Where Linux tells which resident pages are of files. */
const STATUS = '/proc/self/status';

/** The memory of this process, in parts that add up to what is resident. */
export function memoryOf(): ProcessMemory {
  const { rss: resident, heapTotal: heap, external: buffers } = process.memoryUsage();
  const mapped = mappedBytes();
  return { resident, heap, buffers, mapped, other: Math.max(0, resident - heap - buffers - mapped) };
}

/** Adds the metric of the memory of this process, by part. */
export function registerMemory(registers: Registry[]): void {
  new Gauge({
    name: 'svc_memory_bytes',
    help: 'Resident memory of the process, by part; the mapped part is given back when memory is short.',
    labelNames: ['part'],
    registers,
    collect() {
      const { resident: _, ...parts } = memoryOf();
      for (const [part, bytes] of Object.entries(parts)) this.set({ part }, bytes);
    },
  });
}

/** 0 where the system does not tell. */
function mappedBytes(): number {
  try {
    return Number(/^RssFile:\s*(\d+) kB$/m.exec(readFileSync(STATUS, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
