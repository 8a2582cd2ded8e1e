import { BURST_IDLE_MS, ThreadClient, workerFile } from '../../lib/thread-client.ts';
import type { CompressionOptions } from './codec.ts';

export interface EncoderRequest {
  readonly texts: readonly string[];
  readonly compression: CompressionOptions;
}

/** The concatenated stored forms, where each ends, and the CRC-32 of each text's UTF-8. */
interface Encoded {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array;
  readonly crcs: Uint32Array;
}

export type EncoderReply = Encoded | { readonly error: string };

/** The main thread's side of `encoder-thread.ts`. */
export class Encoder {
  readonly #thread = new ThreadClient<EncoderRequest, EncoderReply>(workerFile(import.meta.url, 'encoder-thread'), {
    name: 'the encoding thread',
    idleMs: BURST_IDLE_MS,
  });

  /** Rejects when the thread fails; the caller can then encode the texts itself. */
  async encode(texts: readonly string[], compression: CompressionOptions): Promise<Encoded> {
    const reply = await this.#thread.request({ texts, compression });
    if ('error' in reply) throw new Error(reply.error);
    return reply;
  }
}

/** One per process, because compression keeps one core busy. */
export const sharedEncoder = new Encoder();
