import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { type AddressInfo, connect, type Server } from 'node:net';

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
