import { addAbortListener } from 'node:events';
import type { ServerReadableStream } from '@grpc/grpc-js';
import type { Codec } from './adapter.ts';

/**
 * The messages that a client sends, one after the other; the next is only asked for when the one before
 * has been dealt with, which slows the client down. Throws the signal's reason when the call ends first.
 */
export async function* readMessages(call: ServerReadableStream<Buffer, Buffer>, codec: Codec, signal: AbortSignal, repairText = false): AsyncGenerator<{ message: Record<string, unknown>; bytes: number }> {
  // Whoever waits for a message that does not come is woken.
  const listening = addAbortListener(signal, () => call.destroy());
  try {
    for await (const bytes of call as AsyncIterable<Buffer>) yield { message: codec.decode(bytes, { repairText }), bytes: bytes.length };
  } catch (error) {
    // The library destroys the stream of a call that has ended, and we that of a caller whose right has.
    signal.throwIfAborted();
    throw error;
  } finally {
    listening[Symbol.dispose]();
  }
  signal.throwIfAborted();
}
