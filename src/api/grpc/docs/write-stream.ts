import type { ServerWritableStream } from '@grpc/grpc-js';
import type { statusOf } from '../status.ts';

/**
 * Writes a message and waits until it has left the process, so that a slow client slows the source down instead of
 * filling the memory. Rejects with the signal's reason if the call ends first, because the library discards writes to
 * an ended call.
 */
export function writeMessage(call: ServerWritableStream<Buffer, Buffer>, message: Buffer,
  signal: AbortSignal): Promise<void>
{
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    call.write(message, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}

/** Ends a stream with the status of an error, after everything that was written. */
export function failStream(call: ServerWritableStream<Buffer, Buffer>, status: ReturnType<typeof statusOf>): void {
  // A cancelled call already has its status.
  if (!call.cancelled) call.emit('error', status);
}
