import { Worker } from 'node:worker_threads';
import { workerFile } from '../../lib/worker-file.ts';
import type { CompressionOptions } from './codec.ts';
import type { Encoded, EncoderReply, EncoderRequest } from './encoder-protocol.ts';

interface Pending {
  readonly resolve: (encoded: Encoded) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The main thread's side of `encoder-thread.ts`. The thread starts with the first request and again after a crash, and
 * keeps the process alive only while a request is running.
 */
export class Encoder {
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;

  /** Rejects when the thread fails; the caller can then encode the texts itself. */
  encode(texts: readonly string[], compression: CompressionOptions): Promise<Encoded> {
    return new Promise((resolve, reject) => {
      const worker = (this.#worker ??= this.#start());
      const id = ++this.#lastId;
      worker.postMessage({ id, texts, compression } satisfies EncoderRequest);
      this.#pending.set(id, { resolve, reject });
      worker.ref();
    });
  }

  #start(): Worker {
    const worker = new Worker(workerFile(import.meta.url, 'encoder-thread'));
    worker.on('message', (reply: EncoderReply) => this.#settle(reply));
    worker.on('error', () => undefined); // `exit` follows
    worker.on('exit', () => this.#lost(worker));
    return worker;
  }

  #settle(reply: EncoderReply): void {
    const pending = this.#pending.get(reply.id);
    this.#forget(reply.id);
    if ('bytes' in reply) pending?.resolve(reply);
    else pending?.reject(new Error(reply.error));
  }

  #lost(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const [id, pending] of this.#pending) {
      this.#forget(id);
      pending.reject(new Error('the encoding thread ended'));
    }
  }

  #forget(id: number): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker?.unref();
  }
}

/** One per process, because compression keeps one core busy. */
export const sharedEncoder = new Encoder();
