import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { serveMcpFixture } from '../../../testkit/mcp-listener.ts';

it('leaves no session behind for a client that has left while its key was checked', async () => {
  const asked = Promise.withResolvers<void>();
  let left: Promise<unknown> = Promise.resolve();
  const fixture = await serveMcpFixture({
    stored: {
      async find() {
        asked.resolve();
        await left;
        return { name: 'ann' };
      },
    },
  });
  const server = createServer((incoming, response) => {
    left = once(response, 'close');
    fixture.mcp.listener(incoming, response);
  }).listen(0);
  await once(server, 'listening');
  const client = request({
    port: (server.address() as AddressInfo).port,
    path: '/sse',
    headers: { Accept: 'text/event-stream', 'X-API-Key': 'a-key' },
  }).on('error', () => undefined);
  client.end();
  await asked.promise;
  client.destroy();
  await left;
  await setImmediate();
  expect([fixture.mcp.sessions(), fixture.mcp.held()]).toEqual([{ sse: 0, streamable: 0 }, 0]);
  server.close();
  await fixture.stop();
});
