import { describe, expect, it } from 'vitest';
import { operations } from '../../../generated/runs/operations.ts';
import type { OperationSpec } from '../../operations/index.ts';
import { RunsApi } from '../../testkit/runs-api.ts';
import { createSystem } from './index.ts';

const context = {} as never;

describe('liveness', () => {
  it('does not ask the store', async () => {
    const checks = { storage: () => Promise.reject(new Error('asked')) };
    const { handlers } = createSystem({ version: '1.2.3', accepting: () => false, checks });
    expect(await handlers.getLiveness({}, context)).toEqual({ data: { status: 'ok', version: '1.2.3' } });
  });
});

describe('readiness', () => {
  const ready = (checks: Parameters<typeof createSystem>[0]['checks'] = {}, accepting = true) =>
    createSystem({ version: '1', accepting: () => accepting, checks }).handlers.getReadiness({}, context);

  it('names parts that work, and those that there are not', async () => {
    expect(await ready({ storage: async () => true, config: () => true })).toEqual({
      data: { status: 'ready', checks: { storage: 'ok', config: 'ok', fleet: 'disabled', sandbox: 'disabled' } },
    });
  });

  it('says what fences in the steps of pipelines, and works without', async () => {
    const { handlers } = createSystem({ version: '1', accepting: () => true, sandbox: () => 'missing' });
    expect(await handlers.getReadiness({}, context)).toMatchObject({
      data: { status: 'ready', checks: { sandbox: 'missing' } },
    });
  });

  it.each([['a part does not work', { fleet: () => false }], ['a check fails', {
    storage: () => Promise.reject(new Error('no')),
  }], ['a check throws', {
    storage: () => {
      throw new Error('no');
    },
  }]])('is refused when %s', async (_when, checks) => {
    await expect(ready(checks)).rejects.toMatchObject({ code: 'storage_unavailable', headers: { 'Retry-After': '1' } });
  });

  it('serves over HTTP: 200, and 503 while the service starts or stops and when the store is closed', async () => {
    const api = await RunsApi.start();
    const ask = async () => {
      const { status, text, headers } = await api.client.get('/readyz');
      return [status, text, headers['retry-after']];
    };
    const gone = [503, '{"error":{"code":"storage_unavailable"}}', '1'];
    expect(await ask()).toEqual([200,
      '{"data":{"status":"ready","checks":{"storage":"ok","config":"ok","fleet":"disabled","sandbox":"disabled"}}}',
      undefined]);
    api.accepting = false;
    expect(await ask()).toEqual(gone);
    api.accepting = true;
    api.storageWorks = false;
    expect(await ask()).toEqual(gone);
    expect((await api.client.get('/healthz')).json()).toEqual({ data: { status: 'ok', version: '1.2.3' } });
    await api.stop();
  });
});

it('is asked by operations that no rate limit holds up', () => {
  const probes = Object.values<OperationSpec>(operations).filter(({ probe }) => probe !== undefined);
  expect(probes.map(({ id }) => id).sort()).toEqual(['getLiveness', 'getMetrics', 'getReadiness']);
});
