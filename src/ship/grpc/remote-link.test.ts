import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { isRefused } from './remote-link.ts';

it('knows a host on which nobody listens from one where somebody does', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await isRefused({ host: '127.0.0.1', port })).toBe(false);
  server.close();
  await once(server, 'close');
  expect(await isRefused({ host: '127.0.0.1', port })).toBe(true);
  // A name that does not exist proves nothing about a server.
  expect(await isRefused({ host: 'nowhere.invalid', port })).toBe(false);
});
