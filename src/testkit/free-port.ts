import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A free port: for a server that cannot choose one itself, or must have the same address after a restart. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
