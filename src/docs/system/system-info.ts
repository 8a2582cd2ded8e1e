import { readFileSync } from 'node:fs';
import { arch, availableParallelism, hostname, platform, totalmem } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';
import type { ProcessMemory, SystemInfo } from '../../../generated/docs/sdk/types.gen.ts';
import { API_VERSION as INTERFACE_VERSION } from '../../../generated/docs/version.ts';

/** Interval in milliseconds of the timer that samples the delay; the measured values include it. */
const RESOLUTION_MS = 10;

/** Measures the process between two calls. */
export class ProcessMeter {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #cpu = process.cpuUsage();
  #since = performance.now();

  constructor() {
    this.#delay.enable();
  }

  /** Processor time in percent of one processor, and mean delay of the event loop, since the last call. */
  read(): { cpuUsagePercent: number; eventLoopLagMs: number } {
    const used = process.cpuUsage(this.#cpu);
    const elapsed = performance.now() - this.#since;
    const delay = this.#delay.count > 0 ? this.#delay.mean / 1e6 - RESOLUTION_MS : 0;
    this.#cpu = process.cpuUsage();
    this.#since = performance.now();
    this.#delay.reset();
    return {
      cpuUsagePercent: elapsed > 0 ? rounded((used.user + used.system) / 1000 / elapsed * 100) : 0,
      eventLoopLagMs: rounded(Math.max(0, delay)),
    };
  }

  stop(): void {
    this.#delay.disable();
  }
}

/** The process and its machine, under names that clients read whatever the runtime is. */
export function describeSystem(meter: ProcessMeter, buildVersion: string, uptimeSeconds: number): SystemInfo {
  const memory = process.memoryUsage();
  return {
    hostname: hostname(),
    os: platform(),
    arch: arch(),
    numCPU: availableParallelism(),
    goVersion: `node${process.versions.node}`,
    version: INTERFACE_VERSION,
    buildVersion,
    uptimeSeconds: Math.floor(uptimeSeconds),
    memoryTotal: totalmem(),
    memoryUsed: memory.rss,
    numGoroutines: process.getActiveResourcesInfo().length,
    runtime: 'node',
    runtimeVersion: process.versions.node,
    memoryHeap: memory.heapUsed,
    memoryRss: memory.rss,
    ...meter.read(),
  };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

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
