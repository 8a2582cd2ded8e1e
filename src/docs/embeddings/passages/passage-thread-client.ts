import { Worker } from 'node:worker_threads';
import type { ModelMemory } from '../../../kernels/embedding.ts';
import { workerFile } from '../../../lib/worker-file.ts';
import type { MadePassages, PassageOrder, StoredText } from './make-passages.ts';

export interface PassageRequest {
  readonly id: number;
  readonly order: PassageOrder;
}

export interface PassageReply {
  readonly id: number;
  readonly made: MadePassages;
}

interface Pending {
  readonly resolve: (made: MadePassages) => void;
  readonly reject: (error: Error) => void;
}

/** Milliseconds without a request after which the thread ends: it takes some megabytes. */
const IDLE_MS = 10_000;

/**
 * The main thread's side of `passage-thread.ts`. The thread starts with the first request, ends when it was idle for a
 * while, and keeps the process alive only while a request is running.
 */
export class PassageThread {
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  /** Rejects when the thread fails; the caller can then make the vectors itself. */
  make(model: ModelMemory, order: PassageOrder): Promise<MadePassages> {
    return new Promise((resolve, reject) => {
      clearTimeout(this.#idle);
      const worker = (this.#worker ??= this.#start(model));
      const id = ++this.#lastId;
      const { bodies, texts } = together(order.texts);
      worker.postMessage({ id, order: { ...order, texts } } satisfies PassageRequest, [bodies]);
      this.#pending.set(id, { resolve, reject });
      worker.ref();
    });
  }

  #start({ memory, dims }: ModelMemory): Worker {
    const worker = new Worker(workerFile(import.meta.url, 'passage-thread'), {
      workerData: { memory, dims } satisfies ModelMemory,
    });
    worker.on('message', ({ id, made }: PassageReply) => {
      this.#pending.get(id)?.resolve(made);
      this.#forget(id);
    });
    worker.on('error', () => undefined); // `exit` follows
    worker.on('exit', () => this.#lost(worker));
    return worker;
  }

  #lost(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const [id, { reject }] of this.#pending) {
      this.#pending.delete(id);
      reject(new Error('the thread of passages ended'));
    }
  }

  #forget(id: number): void {
    this.#pending.delete(id);
    if (this.#pending.size > 0) return;
    this.#worker?.unref();
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}

/** The texts with their bodies in one buffer, which is sent faster than many. */
function together(texts: readonly StoredText[]): { bodies: ArrayBuffer; texts: StoredText[] } {
  const all = new Uint8Array(texts.reduce((sum, { body }) => sum + body.length, 0));
  let end = 0;
  return {
    bodies: all.buffer,
    texts: texts.map((text) => {
      all.set(text.body, end);
      return { ...text, body: all.subarray(end, end += text.body.length) };
    }),
  };
}

/** One per process, because embedding keeps one core busy. */
export const sharedPassageThread = new PassageThread();
