import type { ModelMemory } from '../../../kernels/embedding.ts';
import { ThreadClient, workerFile } from '../../../lib/thread-client.ts';
import type { MadePassages, PassageOrder, StoredText } from './make-passages.ts';

/** Milliseconds without a request after which the thread ends: it takes some megabytes. */
const IDLE_MS = 10_000;

/** The main thread's side of `passage-thread.ts`, which ends when it was idle for a while. */
export class PassageThread {
  #model: ModelMemory | undefined;
  readonly #thread = new ThreadClient<PassageOrder, MadePassages>(workerFile(import.meta.url, 'passage-thread'), {
    name: 'the thread of passages',
    idleMs: IDLE_MS,
    data: () => this.#model && { memory: this.#model.memory, dims: this.#model.dims } satisfies ModelMemory,
  });

  /**
   * Rejects when the thread fails; the caller can then make the vectors itself. A thread that runs keeps the model that
   * it has.
   */
  make(model: ModelMemory, order: PassageOrder): Promise<MadePassages> {
    this.#model = model;
    const { bodies, texts } = together(order.texts);
    return this.#thread.request({ ...order, texts }, [bodies]);
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
