import type { Operations } from '../../../generated/docs/operations.ts';
import type { IndexBytes, ListEndpointsResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Handlers } from '../../operations/index.ts';
import { gathered } from '../../search/parts/index.ts';
import type { ColumnsView } from '../columns/index.ts';
import type { Embeddings } from '../embeddings/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Readiness } from '../view/index.ts';
import { checkHealth, checkReadiness } from './health.ts';
import { type BackupReport, createMetrics, type GrpcCall, type HttpExchange, samplesOf, statsOf,
  type ToolCall } from './metrics.ts';
import type { Counted, OtherProcesses } from './other-processes.ts';
import { describeCompliance, describeConfig, describeEndpoints, type McpDescription } from './server-config.ts';
import { readStats } from './stats.ts';
import { describeSystem, ProcessMeter } from './system-info.ts';

type SystemHandlers = Required<
  Pick<Handlers<Operations>,
    'getHealth' | 'getHealthV1' | 'getReadiness' | 'getReadinessV1' | 'getStats' | 'getSystemInfo' | 'getConfig'
      | 'listEndpoints' | 'getComplianceStatus' | 'getMetrics'>
>;

interface SystemDependencies {
  readonly documents: {
    /** The implementation of `GET /v1/checksum`. */
    checksum(collection: string): Promise<string>;
  };
  readonly columns: Pick<ColumnsView, 'indexOf' | 'servingOf' | 'intoMemory'>;
  /** The indexes, which know how many bytes of memory they use for a collection; undefined for one that has none. */
  readonly indexes: Readonly<Record<keyof IndexBytes, { bytesOf(collection: string): number | undefined }>>;
  readonly readiness: Pick<Readiness, 'states' | 'isReady'>;
  /** Absent on a server without embeddings. */
  readonly embeddings?: Pick<Embeddings, 'describe' | 'registerMetrics'>;
}

/** What the server reports about itself (contract section 4, "Health and system"). */
export interface System {
  readonly handlers: SystemHandlers;
  /** Counts one HTTP request for `/metrics`. */
  observeHttp(exchange: HttpExchange): void;
  /** Counts one gRPC call for `/metrics`. */
  observeGrpc(call: GrpcCall): void;
  /** Counts one call of an MCP tool for `/metrics`. */
  observeTool(call: ToolCall): void;
  /** Reports MCP from now on. */
  describeMcp(mcp: McpDescription): void;
  /** Makes the metrics those of several processes from now on. */
  describeProcesses(processes: OtherProcesses): void;
  /** Reports scheduled backups from now on. */
  describeBackups(report: () => BackupReport): void;
  /** The counts of this process. */
  counters(): Promise<Counted>;
  /** Lists these gRPC methods from now on. */
  describeGrpc(methods: ListEndpointsResponse['grpc']): void;
}

/** The uptime counts from here. */
export function createSystem(environment: DocsEnvironment,
  { documents, columns, indexes, readiness, embeddings }: SystemDependencies): System
{
  const { clock, settings } = environment;
  const started = clock.now();
  const uptimeSeconds = (): number => (clock.now() - started) / 1000;
  const meter = new ProcessMeter();
  const indexBytesOf = (collection: string): IndexBytes =>
    Object.fromEntries(Object.entries(indexes).flatMap(([name, index]) => {
      const bytes = index.bytesOf(collection);
      return bytes === undefined ? [] : [[name, bytes]];
    }));
  const metrics = createMetrics(environment, {
    uptimeSeconds,
    indexBytesOf,
    metaIndicesOf: (collection) => columns.servingOf(collection)?.columns.stats().pairs,
  }, embeddings?.registerMetrics);
  const closed = new Set(settings.description.metricsPublic ? [] : ['getMetrics']);
  let mcp: McpDescription | undefined;
  let grpc: ListEndpointsResponse['grpc'] = [];
  let backups: (() => BackupReport) | undefined;
  return {
    observeHttp: metrics.observeHttp,
    observeGrpc: metrics.observeGrpc,
    observeTool: metrics.observeTool,
    describeMcp: (description) => void (mcp = description),
    describeGrpc: (methods) => void (grpc = methods),
    describeProcesses: (processes) => metrics.describeProcesses(processes),
    describeBackups(report) {
      backups = report;
      metrics.describeBackups(report);
    },
    counters: () => metrics.counters(),
    handlers: {
      getHealth: () => checkHealth(environment, mcp),
      getHealthV1: () => checkHealth(environment, mcp),
      getReadiness: () => checkReadiness(environment, readiness),
      getReadinessV1: () => checkReadiness(environment, readiness),
      getStats: async (_input, { signal }) => ({
        ...(await readStats(environment, {
          checksum: (collection) => documents.checksum(collection),
          async metaIndicesOf(collection) {
            await columns.intoMemory([collection], signal);
            return gathered(() => columns.indexOf(collection)?.columns.stats().pairs ?? 0);
          },
          indexBytesOf,
        }, uptimeSeconds())),
        backups: backups && statsOf(backups()),
      }),
      getSystemInfo: async () => describeSystem(meter, settings.buildVersion, uptimeSeconds()),
      getConfig: async () => describeConfig(environment, embeddings?.describe(), mcp),
      listEndpoints: async () => describeEndpoints(grpc, closed, mcp),
      getComplianceStatus: async () => describeCompliance(settings.description.compliance),
      async getMetrics(_input, { identity }) {
        if (!settings.description.metricsEnabled) throw new ServiceError('not_found', 'not found');
        return { contentType: metrics.contentType, content: samplesOf(await metrics.render(), identity) };
      },
    },
  };
}
