import { expect } from 'vitest';
import { getReplicationStatus } from '../../generated/docs/sdk/sdk.gen.ts';
import { succeeded } from '../support/expectations.ts';
import { type DocsScenarios, store } from './scenario.ts';

/** The status that a node without replication reports (decision 4.11). */
export const replication: DocsScenarios = {
  async getReplicationStatus(context) {
    const before = succeeded(await getReplicationStatus({ client: context.client }));
    await store(context, { contentMd: 'one' });
    const after = succeeded(await getReplicationStatus({ client: context.client }));
    expect(after).toEqual({
      node_id: before.node_id,
      role: '',
      current_lsn: expect.any(Number),
      binlog_oldest_lsn: 0,
      binlog_size_bytes: 0,
      leader_addr: '',
      replication_lag_ms: 0,
      healthy: true,
      followers: [],
      uptime_seconds: expect.any(Number),
    });
    expect(after.node_id).toMatch(/^node-[0-9a-f]{8}$/);
    expect(after.current_lsn).toBeGreaterThan(before.current_lsn);
  },
};
