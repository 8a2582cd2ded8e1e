import type { ServerReadableStream } from '@grpc/grpc-js';
import { addAbortListener } from 'node:events';
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
