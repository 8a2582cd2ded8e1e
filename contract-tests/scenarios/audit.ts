import { expect } from 'vitest';
import { listAuditEvents, listAuditExporters } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsScenarios, store } from './scenario.ts';

/** The audit log (contract, section 4, "Audit, encryption", and section 5, rule 10). */
export const audit: DocsScenarios = {
  async listAuditEvents(context) {
    const { client, direct } = context;
    const before =
      succeeded(await listAuditEvents({ client, query: { action: 'write./v1/add', limit: 1 } })).events[0]?.ts ?? 0;
    await store(context);
    const { events, count, dropped } = succeeded(await listAuditEvents({
      client,
      query: { fromNanos: before, action: 'write./v1/add', actor: 'admin', result: 'ok', limit: 1 },
    }));
    expect(events).toEqual([{
      ts: expect.any(Number) as number,
      actor: 'admin',
      action: 'write./v1/add',
      resource: '/v1/add',
      result: 'ok',
      ip: '127.0.0.1',
      userAgent: expect.any(String) as string,
      collection: expect.any(String) as string,
      key: expect.any(String) as string,
      lang: expect.any(String) as string,
    }]);
    expect([count, dropped]).toEqual([1, 0]);
    expect(succeeded(await listAuditEvents({ client, query: { to: '2000-01-01T00:00:00Z' } })).count).toBe(0);
    expect(succeeded(await listAuditEvents({
      client,
      query: { to: '2000-01-01T00:00:00Z', toNanos: events[0]!.ts, fromNanos: events[0]!.ts },
    })).events).toContainEqual(events[0]);
    refused(await listAuditEvents({ client: direct, query: { limit: 0 } }), 400, 'invalid_argument');
    refused(await listAuditEvents({ client: direct, query: { result: 'perhaps' as never } }), 400, 'invalid_argument');
  },

  async listAuditExporters({ client }) {
    const { exporters, count } = succeeded(await listAuditExporters({ client }));
    expect(count).toBe(1);
    expect(exporters).toEqual([expect.objectContaining({
      name: 'syslog',
      target: 'udp://127.0.0.1:9',
      failed: expect.any(Number),
      bufferSize: 1024,
    })]);
  },
};
