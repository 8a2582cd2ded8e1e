import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { connect, type AddressInfo, type Server } from 'node:net';

/** A socket that nobody answers on was left by a process that died; one that somebody answers on is not ours to take. */
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

/** Only the user of this process may connect (decisions, section 5.3). Closes the server where that cannot be had. */
export async function forOwnerOnly(path: string, close: () => void): Promise<void> {
  try {
    await chmod(path, 0o600);
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Listens on a port, or on a unix socket in the place of one that a dead process has left. Resolves to the address that was taken,
 * undefined for a unix socket; rejects, with the server closed, where it cannot be had.
 */
export async function startListening(server: Server, listen: { readonly path: string } | { readonly port: number; readonly host?: string }): Promise<AddressInfo | undefined> {
  if ('path' in listen) await removeStaleSocket(listen.path);
  server.listen(listen);
  await once(server, 'listening');
  if (!('path' in listen)) return server.address() as AddressInfo;
  await forOwnerOnly(listen.path, () => server.close());
  return undefined;
}
