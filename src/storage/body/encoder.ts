import { ThreadClient, workerFile } from '../../lib/thread-client.ts';
import type { CompressionOptions } from './codec.ts';
import type { Encoded, EncoderReply, EncoderRequest } from './encoder-protocol.ts';

/** The main thread's side of `encoder-thread.ts`. */
export class Encoder {
  readonly #thread = new ThreadClient<EncoderRequest, EncoderReply>(workerFile(import.meta.url, 'encoder-thread'), {
    name: 'the encoding thread',
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
