import type { ServerReadableStream, ServerWritableStream } from '@grpc/grpc-js';
import { addAbortListener } from 'node:events';
import type { statusOf } from '../status.ts';
import type { Codec } from './adapter.ts';

/**
 * The messages of a client, one after the other. The next one is requested only when the previous one has been
 * processed, which gives back-pressure. Throws the signal's reason if the call ends first.
 */
export async function* readMessages(call: ServerReadableStream<Buffer, Buffer>, codec: Codec, signal: AbortSignal,
  repairText = false): AsyncGenerator<{ message: Record<string, unknown>; bytes: number }>
{
  // Wakes a reader that waits for a message that will not come.
  const listening = addAbortListener(signal, () => call.destroy());
  try {
    for await (const bytes of call as AsyncIterable<Buffer>)
      yield { message: codec.decode(bytes, { repairText }), bytes: bytes.length };
  } catch (error) {
    // The library destroys the stream of a call that has ended; we destroy that of a caller that has lost its
    // permission.
    signal.throwIfAborted();
    throw error;
  } finally {
    listening[Symbol.dispose]();
  }
  signal.throwIfAborted();
}

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
