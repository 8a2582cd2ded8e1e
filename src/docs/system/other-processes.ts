import { AggregatorRegistry, Gauge, type Registry } from 'prom-client';

/** Values of metrics, as one process passes them to another. */
export type Counted = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The other processes that answer requests of the same server. */
export interface OtherProcesses {
  /** The counts of each of them, including those that have ended. */
  counters(): Promise<readonly Counted[]>;
  /** Number of processes by state, including this one. */
  states(): Readonly<Record<'ready' | 'starting', number>>;
  /** Bytes of memory of each process, by its number; 0 is this one. */
  memory(): ReadonlyMap<number, number>;
}

/** Counters and histograms: of the gauges, only those of the writing process are used. */
export async function countersOf(registry: Registry): Promise<Counted> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.filter(({ type }) => isSummed(type));
}

/** Adds up the counters and histograms of several processes. */
export function summed(counted: readonly Counted[]): Registry {
  const metrics = counted.map((each) =>
    each.map((metric) => ({ ...metric, aggregator: isSummed(metric.type) ? 'sum' as const : 'first' as const }))
  );
  return AggregatorRegistry.aggregate(metrics);
}

/** The samples of this process, with the counts of the others added. */
export async function renderSummed(registry: Registry, others: OtherProcesses): Promise<string> {
  const [own, counted] = await Promise.all([registry.getMetricsAsJSON(), others.counters()]);
  return summed([own, ...counted]).metrics();
}

export function registerProcesses(registers: Registry[], processes: OtherProcesses): void {
  new Gauge({
    name: 'svc_workers',
    help: 'Processes that serve requests, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(processes.states())) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'svc_worker_memory_bytes',
    help: 'Memory of each process; 0 is the one that writes.',
    labelNames: ['worker'],
    registers,
    collect() {
      this.reset();
      for (const [worker, bytes] of processes.memory()) this.set({ worker: String(worker) }, bytes);
    },
  });
}

/** The declared type is an enumeration, but the values are strings. */
function isSummed(type: unknown): boolean {
  return type === 'counter' || type === 'histogram';
}
