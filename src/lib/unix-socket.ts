import { chmod, rm } from 'node:fs/promises';
import { connect } from 'node:net';

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
