import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { type AddressInfo, connect, isIP, type Server } from 'node:net';

/** Where a server listens. Without `host` it listens on every interface; port 0 lets the system choose. */
export type Address = { readonly kind: 'tcp'; readonly host?: string; readonly port: number } | { readonly kind: 'unix';
  readonly path: string };

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*$/i;
// The capacity of `sun_path` in the system's socket address structure, without its final zero byte.
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * Reads `:port`, `host:port`, `[ipv6]:port` or `unix:/absolute/path` (decisions, section 5.3).
 * Returns undefined for everything else.
 */
export function parseAddress(text: string): Address | undefined {
  if (text.startsWith('unix:')) return socketAddress(text.slice('unix:'.length));
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, ipv6, name, digits] = match;
  const port = parsePort(digits!);
  if (port === undefined) return undefined;
  if (ipv6 !== undefined) return isIP(ipv6) === 6 ? { kind: 'tcp', host: ipv6, port } : undefined;
  if (name === '') return { kind: 'tcp', port };
  return isHost(name!) ? { kind: 'tcp', host: name!, port } : undefined;
}

/** A port from 0 (the system chooses) to 65535; returns undefined for everything else. */
export function parsePort(text: string): number | undefined {
  if (!/^\d{1,5}$/.test(text)) return undefined;
  const port = Number(text);
  return port <= 65_535 ? port : undefined;
}

/** The text that `parseAddress` reads back to the same address. */
export function formatAddress(address: Address): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  const { host = '', port } = address;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** True for an address that only programs on this machine can reach. */
export function isLoopback(address: Address): boolean {
  if (address.kind === 'unix') return true;
  const { host } = address;
  return host === 'localhost' || host === '::1' || (host !== undefined && isIP(host) === 4 && host.startsWith('127.'));
}

// All digits and dots must be an IP address: `1.2.3` or `300.1.1.1` are typing errors, not host names.
function isHost(name: string): boolean {
  return isIP(name) === 4 || (HOST_NAME.test(name) && !/^[\d.]+$/.test(name));
}

function socketAddress(path: string): Address | undefined {
  const valid = path.startsWith('/') && !path.endsWith('/') && !path.includes('\0') &&
    Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES;
  return valid ? { kind: 'unix', path } : undefined;
}

/**
 * A socket on which nothing answers was left by a process that died; one on which a process answers must not be
 * replaced.
 */
export async function removeStaleSocket(path: string): Promise<void> {
  const code = await new Promise<string>((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve('connected');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
  if (code === 'ECONNREFUSED') await rm(path, { force: true });
}

/** Restricts connections to the user of this process (decisions, section 5.3). Closes the server if that fails. */
export async function forOwnerOnly(path: string, close: () => void): Promise<void> {
  try {
    await chmod(path, 0o600);
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Listens on a port, or on a unix socket, which replaces one that a dead process left. Resolves to the address in use,
 * or to undefined for a unix socket. Rejects if it cannot listen; the server is then closed.
 */
export async function startListening(server: Server,
  listen: { readonly path: string } | { readonly port: number; readonly host?: string }
): Promise<AddressInfo | undefined> {
  if ('path' in listen) await removeStaleSocket(listen.path);
  server.listen(listen);
  await once(server, 'listening');
  if (!('path' in listen)) return server.address() as AddressInfo;
  await forOwnerOnly(listen.path, () => server.close());
  return undefined;
}
