import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BackupStats, IndexBytes } from '../../../generated/docs/sdk/types.gen.ts';
import { API_VERSION as INTERFACE_VERSION } from '../../../generated/docs/version.ts';
import { cached } from '../../lib/caches.ts';
import type { Clock } from '../../lib/clock.ts';
import { roundsMetric } from '../../lib/loop.ts';
import type { Identity } from '../../operations/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type Counted, countersOf, type OtherProcesses, registerProcesses, renderSummed } from './other-processes.ts';
import { type DatabaseNumbers, readNumbers } from './stats.ts';
import { registerMemory } from './system-info.ts';

/** Counting reads much data, and scrapers are frequent. */
const CACHE_MS = 15_000;

/** Buckets in seconds; decisions section 4.1. */
export const DURATION_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The views under their names in `/ready`. */
const VIEWS: Readonly<Record<keyof IndexBytes, string>> = {
  fullText: 'full-text',
  vectors: 'vector',
  columns: 'columns',
  geo: 'geo',
  spelling: 'spelling',
};

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** One request as the HTTP protocol answered it; `path` is the template of a served path. */
export interface HttpExchange {
  readonly method: string;
  readonly path?: string;
  readonly status: number;
  readonly milliseconds: number;
}

/** One completed gRPC call; `method` is an existing one. */
export interface GrpcCall {
  readonly method: string;
  /** Name of the status, such as `OK`. */
  readonly code: string;
}

/** One call of an MCP tool; `tool` is an existing one. */
export interface ToolCall {
  readonly tool: string;
  readonly outcome: 'ok' | 'error';
}

interface Metrics {
  readonly contentType: string;
  /** The samples in the Prometheus text format 0.0.4. */
  render(): Promise<string>;
  /** From now on they are sums over these processes, too. */
  describeProcesses(processes: OtherProcesses): void;
  /** Adds metrics of scheduled backups from now on. */
  describeBackups(report: () => BackupReport): void;
  /** Metrics that only grow: counters and histograms. */
  counters(): Promise<Counted>;
  observeHttp(exchange: HttpExchange): void;
  observeGrpc(call: GrpcCall): void;
  observeTool(call: ToolCall): void;
}

/** Sources of the metrics. */
interface MetricsSources {
  /** Number of metadata values of a collection's documents; undefined if their index is not in memory. */
  readonly metaIndicesOf: (collection: string) => number | undefined;
  readonly uptimeSeconds: () => number;
  readonly indexBytesOf: (collection: string) => IndexBytes;
}

/**
 * The metrics of the document service (decisions section 4.1). Labels have few values, whatever clients send: paths are
 * templates, unknown ones `/other`. `registerMore` adds those of other areas.
 */
export function createMetrics(environment: DocsEnvironment, sources: MetricsSources,
  registerMore: (registers: Registry[]) => void = () => undefined): Metrics
{
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'svc_info',
    help: 'Version of the interface and access mode.',
    labelNames: ['version', 'mode'],
    registers,
  }).set({ version: INTERFACE_VERSION, mode: environment.settings.mode }, 1);
  new Gauge({
    name: 'svc_uptime_seconds',
    help: 'Seconds since the start.',
    registers,
    collect() {
      this.set(sources.uptimeSeconds());
    },
  });
  registerMemory(registers);
  new Counter({ ...roundsMetric('svc_loop_rounds_total'), registers });
  registerDatabase(registers, environment, sources);
  registerMore(registers);
  let others: OtherProcesses | undefined;
  return {
    contentType: registry.contentType,
    render: () => (others === undefined ? registry.metrics() : renderSummed(registry, others)),
    describeProcesses(processes) {
      others = processes;
      registerProcesses(registers, processes);
    },
    describeBackups: (report) => registerBackups(registers, report, environment.clock),
    counters: () => countersOf(registry),
    observeHttp: registerHttp(registers),
    observeGrpc: registerGrpc(registers),
    observeTool: registerTools(registers),
  };
}

function registerHttp(registers: Registry[]): (exchange: HttpExchange) => void {
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'HTTP requests served.',
    labelNames: ['method', 'path', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time to serve a request.',
    labelNames: ['method', 'path'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  return ({ method, path = '/other', status, milliseconds }) => {
    const labels = { method: METHODS.has(method) ? method : 'OTHER', path };
    requests.inc({ ...labels, status: String(status) });
    duration.observe(labels, milliseconds / 1000);
  };
}

function registerGrpc(registers: Registry[]): (call: GrpcCall) => void {
  const requests = new Counter({
    name: 'svc_grpc_requests_total',
    help: 'gRPC calls ended, by status.',
    labelNames: ['method', 'code'],
    registers,
  });
  return ({ method, code }) => requests.inc({ method, code });
}

function registerTools(registers: Registry[]): (call: ToolCall) => void {
  const calls = new Counter({
    name: 'svc_mcp_tool_calls_total',
    help: 'Calls of MCP tools.',
    labelNames: ['tool', 'outcome'],
    registers,
  });
  return ({ tool, outcome }) => calls.inc({ tool, outcome });
}

function registerDatabase(registers: Registry[], environment: DocsEnvironment, sources: MetricsSources): void {
  const numbers = cached(() => readNumbers(environment), CACHE_MS, environment.clock);
  // A failing database must not prevent the other metrics, which report the failure: only its gauges are left out.
  const read = (): Promise<DatabaseNumbers | undefined> =>
    numbers().catch((error: unknown) => {
      environment.log.warn({ err: error }, 'numbers of the database are not available');
      return undefined;
    });
  const gauge = (name: string, help: string, value: (numbers: DatabaseNumbers) => number): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const found = await read();
        if (found === undefined) this.remove();
        else this.set(value(found));
      },
    });
  };
  const perCollection = (name: string, help: string,
    value: (counts: DatabaseNumbers['collections'][number]) => number | undefined): void =>
  {
    new Gauge({
      name,
      help,
      labelNames: ['collection'],
      registers,
      async collect() {
        const found = await read();
        this.reset();
        for (const counts of found?.collections ?? []) {
          const known = value(counts);
          if (known !== undefined) this.set({ collection: counts.name }, known);
        }
      },
    });
  };
  gauge('svc_database_size_bytes', 'Size of the database with its write-ahead log.', ({ sizeBytes }) => sizeBytes);
  gauge('svc_schemas_total', 'Metadata schemas set.', ({ schemas }) => schemas);
  gauge('svc_binlog_entries_total', 'Entries of the change feed.', ({ binlog }) => binlog.entries);
  gauge('svc_binlog_size_bytes', 'Size of the change feed, estimated from its newest entries.',
    ({ binlog }) => binlog.sizeBytes);
  gauge('svc_binlog_oldest_lsn', 'Number of the oldest entry kept.', ({ binlog }) => binlog.oldestLsn);
  perCollection('svc_documents_total', 'Documents stored.', ({ documents }) => documents);
  perCollection('svc_revisions_total', 'Revisions kept.', ({ revisions }) => revisions);
  perCollection('svc_meta_indices_total', 'Entries of the metadata index, of collections in memory.',
    ({ name }) => sources.metaIndicesOf(name));
  new Gauge({
    name: 'svc_index_bytes',
    help: 'Memory that an index holds, by view.',
    labelNames: ['view', 'collection'],
    registers,
    async collect() {
      const found = await read();
      this.reset();
      for (const { name } of found?.collections ?? []) {
        for (const [view, bytes] of Object.entries(sources.indexBytesOf(name)))
          this.set({
            view: VIEWS[view as keyof IndexBytes],
            collection: name,
          }, bytes);
      }
    },
  });
}

/** The label of a sample in the Prometheus text format; `\`, `"` and line breaks in the value are escaped. */
const COLLECTION = /[{,]collection="((?:[^"\\]|\\.)*)"/;

/**
 * The samples that a caller may see: all except those of collections that the caller may not read. Without a signed-in
 * caller, no collection is included while authentication is on: names of collections say who works on what.
 */
export function samplesOf(text: string, identity: Identity): string {
  if (identity.admin) return text;
  return text.split('\n').filter((line) => {
    const name = line.startsWith('#') ? undefined : COLLECTION.exec(line)?.[1];
    return name === undefined || identity.may('read', unescape(name));
  }).join('\n');
}

function unescape(value: string): string {
  return value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}

/** The state of scheduled backups, with the attempts since the start by outcome. */
export interface BackupReport extends BackupStats {
  readonly counts: { readonly ok: number; readonly failed: number };
}

/** The metrics of scheduled backups. Before the first successful backup, its gauges have no sample. */
function registerBackups(registers: Registry[], report: () => BackupReport, clock: Clock): void {
  const gauge = (name: string, help: string, value: (report: BackupReport) => number | undefined): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const known = value(report());
        if (known === undefined) this.remove();
        else this.set(known);
      },
    });
  };
  gauge('svc_backup_age_seconds', 'Age of the last scheduled backup that was verified.',
    ({ lastGoodAt }) => (lastGoodAt === undefined ? undefined : clock.now() / 1000 - lastGoodAt));
  gauge('svc_backup_duration_seconds', 'Time that it took, its copy included.',
    ({ lastDurationSeconds }) => lastDurationSeconds);
  gauge('svc_backup_size_bytes', 'Its size.', ({ lastSizeBytes }) => lastSizeBytes);
  new Counter({
    name: 'svc_backups_total',
    help: 'Scheduled backups by outcome.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(report().counts)) this.inc({ outcome }, count);
    },
  });
}

export function statsOf({ counts: _, ...stats }: BackupReport): BackupStats {
  return stats;
}
