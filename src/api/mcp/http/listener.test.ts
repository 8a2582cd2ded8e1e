import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { silentLog } from '../../../lib/log.ts';
import type { HttpContext } from '../../http/index.ts';
import { createMcpListener, type ListenerOptions, loadService } from './listener.ts';

class Service {
  serve(ctx: HttpContext): void {
    ctx.body = 'served';
  }
}

it('is unavailable while its packages cannot be loaded, and tries again with the next request', async () => {
  const failures: unknown[] = [];
  const log = { ...silentLog, error: (fields: object) => void failures.push(fields) };
  let isBroken = true;
  const importService = async () => {
    if (isBroken) throw new Error('the package is being replaced');
    return { McpService: Service } as never;
  };
  const origin = { guard: () => ({ may: 'everything' }), isOpen: true };
  const { listener } = createMcpListener({ log, origin } as unknown as ListenerOptions, importService);
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ask = () => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, { method: 'POST' });
  const refused = await ask();
  expect([refused.status, await refused.json()]).toEqual([503, {
    jsonrpc: '2.0',
    error: { code: -32603, message: expect.stringContaining('could not be loaded') },
    id: null,
  }]);
  expect(failures).toEqual([{ err: new Error('the package is being replaced') }]);
  isBroken = false;
  expect(await (await ask()).text()).toBe('served');
  server.close();
});

it('is not loaded for a page of another site', async () => {
  const origin = { guard: () => ({ may: 'nothing', reason: 'this page may not call' }), isOpen: true };
  const { listener } = createMcpListener({ log: silentLog, origin } as unknown as ListenerOptions,
    () => Promise.reject(new Error('it was loaded')));
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const refused = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, { method: 'POST' });
  expect([refused.status, await refused.json()]).toEqual([403, {
    jsonrpc: '2.0',
    error: { code: -32000, message: 'this page may not call' },
    id: null,
  }]);
  server.close();
});

it('leaves turns of the event loop to others while the packages are loaded', async () => {
  let turns = 0;
  let isLoading = true;
  const count = (): void => {
    turns++;
    if (isLoading) setImmediate(count);
  };
  setImmediate(count);
  const { McpService } = await loadService();
  isLoading = false;
  expect(McpService).toBeTypeOf('function');
  expect(turns).toBeGreaterThanOrEqual(5);
});
