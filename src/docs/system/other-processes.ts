import { AggregatorRegistry, Gauge, type Registry } from 'prom-client';

/** Values of metrics, as one process hands them to another. */
export type Counted = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The processes beside this one that answer requests of the same server. */
export interface OtherProcesses {
  /** What each of them has counted, those that have ended included. */
  counters(): Promise<readonly Counted[]>;
  /** Processes by what they do, this one included. */
  states(): Readonly<Record<'ready' | 'starting', number>>;
  /** Bytes of memory that each of them holds, by its number; 0 is this one. */
  memory(): ReadonlyMap<number, number>;
}

/** Counters and histograms: of gauges, those of the process that writes count alone. */
export async function countersOf(registry: Registry): Promise<Counted> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.filter(({ type }) => isSummed(type));
}

/** Counters and histograms of several processes as those of one. */
export function summed(counted: readonly Counted[]): Registry {
  const metrics = counted.map((each) => each.map((metric) => ({ ...metric, aggregator: isSummed(metric.type) ? 'sum' as const : 'first' as const })));
  return AggregatorRegistry.aggregate(metrics);
}

/** The samples of this process, in which what others have counted is added. */
export async function renderSummed(registry: Registry, others: OtherProcesses): Promise<string> {
  const [own, counted] = await Promise.all([registry.getMetricsAsJSON(), others.counters()]);
  return summed([own, ...counted]).metrics();
}

export function registerProcesses(registers: Registry[], processes: OtherProcesses): void {
  new Gauge({ name: 'svc_workers', help: 'Processes that answer requests, by state.', labelNames: ['state'], registers, collect() {
    for (const [state, count] of Object.entries(processes.states())) this.set({ state }, count);
  } });
  new Gauge({ name: 'svc_worker_memory_bytes', help: 'Memory of each process; 0 is the one that writes.', labelNames: ['worker'], registers, collect() {
    this.reset();
    for (const [worker, bytes] of processes.memory()) this.set({ worker: String(worker) }, bytes);
  } });
}

/** The declared type is an enumeration, but the values are words. */
function isSummed(type: unknown): boolean {
  return type === 'counter' || type === 'histogram';
}
