import { expect } from 'vitest';
import { operations } from '../../generated/docs/operations.ts';
import { getComplianceStatus, getConfig, getHealth, getHealthV1, getMetrics, getReadiness, getReadinessV1, getStats,
  getSystemInfo, listEndpoints } from '../../generated/docs/sdk/sdk.gen.ts';
import { succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, store } from './scenario.ts';

const healthy = ({ server }: DocsContext) => ({
  status: 'healthy',
  mode: 'wr',
  persistence: {
    path: server.database,
    filesystem: expect.any(String),
    ephemeral: expect.any(Boolean),
    writable: true,
    freeBytes: expect.any(Number),
    warnings: expect.any(Array),
  },
  durable: expect.any(Boolean),
  mcpSessions: { sse: 0, streamable: 0 },
});

const ready = {
  status: 'ready',
  views: [{ name: 'full-text', ready: true }, { name: 'vector', ready: true }, { name: 'vector-field', ready: true }, {
    name: 'columns',
    ready: true,
  }, {
    name: 'geo',
    ready: true,
  }],
};

/** After a restore the views are rebuilt from the tables, and until then the response is 503. */
async function becomesReady(ask: () => ReturnType<typeof getReadiness>): Promise<void> {
  await expect.poll(async () => (await ask()).data, { timeout: 15_000 }).toEqual(ready);
}

/** The server's information about itself (contract, section 4, "Health and system"; decisions D-60 to D-64). */
export const system: DocsScenarios = {
  async getHealth(context) {
    expect(succeeded(await getHealth({ client: context.client }))).toEqual(healthy(context));
  },

  async getHealthV1(context) {
    expect(succeeded(await getHealthV1({ client: context.client }))).toEqual(healthy(context));
  },

  async getReadiness({ client }) {
    await becomesReady(() => getReadiness({ client }));
  },

  async getReadinessV1({ client }) {
    await becomesReady(() => getReadinessV1({ client }));
  },

  async getStats(context) {
    const { client, collection, server } = context;
    await store(context, { contentMd: 'one', meta: { a: ['1', '2'], b: ['3'] } });
    await store(context, { contentMd: 'two', meta: { a: ['1', '2'], b: ['3'] } });
    const stats = succeeded(await getStats({ client }));
    expect(stats).toMatchObject({ databasePath: server.database, mode: 'wr', databaseSize: expect.any(Number) });
    expect(stats.collections).toContainEqual({
      name: collection,
      documentCount: 1,
      revisionCount: 2,
      metaIndexCount: 3,
      checksum: expect.stringMatching(/^[0-9a-f]{8}$/),
      indexBytes: { fullText: expect.any(Number), columns: expect.any(Number), geo: expect.any(Number) },
    });
    const sum = (field: 'documentCount' | 'revisionCount' | 'metaIndexCount') =>
      stats.collections.reduce((total, each) => total + each[field], 0);
    expect([stats.totalDocuments, stats.totalRevisions, stats.totalMetaIndices]).toEqual([sum('documentCount'),
      sum('revisionCount'), sum('metaIndexCount')]);
  },

  async getSystemInfo({ client }) {
    const info = succeeded(await getSystemInfo({ client }));
    expect(info).toMatchObject({
      version: '2.15.0',
      runtime: 'node',
      runtimeVersion: process.versions.node,
      arch: process.arch,
    });
    expect(info.memoryUsed).toBeGreaterThan(1_000_000);
  },

  async getConfig({ client, server }) {
    expect(succeeded(await getConfig({ client }))).toMatchObject({
      version: '2.15.0',
      databasePath: server.database,
      mode: 'wr',
      authEnabled: true,
      metricsEnabled: true,
      protocols: { http: { enabled: true, addr: expect.any(String) }, grpc: { enabled: true } },
      vectorConfig: { enabled: false, provider: 'none' },
    });
  },

  async listEndpoints({ client, server }) {
    const { http } = succeeded(await listEndpoints({ client }));
    const told = http.map(({ method, path }) => `${method} ${path}`);
    const built = Object.values(operations).filter(({ id }) => server.built.includes(id)).map(({ method, path }) =>
      `${method} ${path}`
    );
    expect(told).toEqual(expect.arrayContaining(built));
    expect(http).toContainEqual({
      method: 'GET',
      path: '/health',
      description: operations.getHealth.summary,
      requiresAuth: false,
    });
  },

  async getComplianceStatus({ client }) {
    expect(succeeded(await getComplianceStatus({ client }))).toEqual({
      production: false,
      compliant: false,
      missingCount: 3,
      missing: [{ envVar: 'SVC_TLS_ENABLED', want: 'true', reason: 'TLS' }, {
        envVar: 'SVC_CORS_ORIGINS',
        want: 'a list of origins without *',
        reason: 'CORS origins',
      }, { envVar: 'SVC_RATE_LIMIT_ENABLED', want: 'true', reason: 'rate limit' }],
    });
  },

  async getMetrics(context) {
    const { client, direct, collection } = context;
    await store(context);
    expect(succeeded(await getMetrics({ client, parseAs: 'text' }))).toContain(
      '# TYPE svc_http_requests_total counter',
    );
    const text = succeeded(await getMetrics({ client: direct, parseAs: 'text' })) as string;
    expect(text).toMatch(/^svc_http_requests_total\{[^}]*path="\/v1\/add"[^}]*status="200"[^}]*\} \d+$/m);
    expect(text).toContain('svc_documents_total{');
    expect(text).not.toContain(`collection="${collection.toUpperCase()}"`);
  },
};
