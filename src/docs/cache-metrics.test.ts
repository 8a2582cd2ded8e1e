import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { registerCacheMetrics } from './cache-metrics.ts';

it('reports each cache as it is when it is asked', async () => {
  const registry = new Registry();
  let bodies = 1;
  registerCacheMetrics([registry], () => ({ bodies, highlights: 7 }));
  bodies = 5;
  const text = await registry.metrics();
  expect(text.split('\n').filter((line) => line.startsWith('svc_cache_bytes'))).toEqual([
    'svc_cache_bytes{cache="bodies"} 5',
    'svc_cache_bytes{cache="highlights"} 7',
  ]);
});
