import { connect } from 'node:net';
import type { ServerAddress } from './open-client.ts';

/** A host that is there refuses at once. */
const TIMEOUT_MS = 3000;

/**
 * Whether the host refuses connections to the port at all of its addresses, so that no process listens there. Never
 * rejects.
 */
export function isRefused({ host, port }: ServerAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (refused: boolean): void => {
      socket.destroy();
      resolve(refused);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(false));
    socket.once('connect', () => end(false));
    socket.on('error', (error: NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] }) => {
      end((error.errors ?? [error]).every(({ code }) => code === 'ECONNREFUSED'));
    });
  });
}
