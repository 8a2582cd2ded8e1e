import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Embeddings } from '../embeddings/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { describeEndpoints } from './endpoints.ts';
import { checkHealth } from './health.ts';
import { createMetrics, type HttpExchange } from './metrics.ts';
import { describeConfig } from './server-config.ts';
import { readStats } from './stats.ts';
import { describeSystem, ProcessMeter } from './system-info.ts';

type SystemHandlers = Required<Pick<Handlers<Operations>,
  'getHealth' | 'getHealthV1' | 'getStats' | 'getSystemInfo' | 'getConfig' | 'listEndpoints' | 'getMetrics'>>;

export interface SystemDependencies {
  readonly documents: {
    /** What `GET /v1/checksum` answers. */
    checksum(collection: string): Promise<string>;
  };
  /** Absent on a server without embeddings. */
  readonly embeddings?: Pick<Embeddings, 'describe' | 'registerMetrics'>;
}

/** What the server tells of itself (contract section 4, "Health and system"). */
export interface System {
  readonly handlers: SystemHandlers;
  /** Counts one HTTP request for `/metrics`. */
  observeHttp(exchange: HttpExchange): void;
}

/** The uptime counts from here. */
export function createSystem(environment: DocsEnvironment, { documents, embeddings }: SystemDependencies): System {
  const { clock, settings } = environment;
  const started = clock.now();
  const uptimeSeconds = (): number => (clock.now() - started) / 1000;
  const meter = new ProcessMeter();
  const metrics = createMetrics(environment, uptimeSeconds, embeddings?.registerMetrics);
  return {
    observeHttp: metrics.observeHttp,
    handlers: {
      getHealth: () => checkHealth(environment),
      getHealthV1: () => checkHealth(environment),
      getStats: () => readStats(environment, (collection) => documents.checksum(collection), uptimeSeconds()),
      getSystemInfo: async () => describeSystem(meter, settings.buildVersion, uptimeSeconds()),
      getConfig: async () => describeConfig(environment, embeddings?.describe()),
      listEndpoints: async () => describeEndpoints(),
      async getMetrics() {
        if (!settings.description.metricsEnabled) throw new ServiceError('not_found', 'not found');
        return { contentType: metrics.contentType, content: await metrics.render() };
      },
    },
  };
}
