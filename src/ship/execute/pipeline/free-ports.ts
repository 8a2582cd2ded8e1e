import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Ports of services of runs that this process works on. */
const held = new Set<number>();

/** Free TCP ports of the loopback interface, which are given to nobody else here until they are released. */
export async function takePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    const ports: number[] = [];
    for (const server of servers) {
      server.listen({ port: 0, host: '127.0.0.1', exclusive: true });
      await once(server, 'listening');
      ports.push((server.address() as AddressInfo).port);
    }
    // The kernel may choose one that a service has not opened yet.
    if (ports.some((port) => held.has(port))) return await takePorts(count);
    for (const port of ports) held.add(port);
    return ports;
  } finally {
    for (const server of servers) server.close();
  }
}

export function releasePorts(ports: readonly number[]): void {
  for (const port of ports) held.delete(port);
}
