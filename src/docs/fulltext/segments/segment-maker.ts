import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../lib/worker-file.ts';
import type { Segment } from '../../../search/inverted/index.ts';
import type { UpcomingDocument } from '../../documents/index.ts';
import type { SegmentsReply, SegmentsRequest } from './protocol.ts';

/** Memory for young objects, in MB: texts are released after each batch, so more would only delay their collection. */
const YOUNG_MB = 12;

interface Pending {
  readonly resolve: (segments: readonly (Segment | number)[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The main thread's side of `thread.ts`. The thread starts with the first request and again after a crash, and keeps
 * the process alive only while a request is running.
 */
export class SegmentMaker {
  readonly #file: URL;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;

  /** Tests may pass another thread. */
  constructor(file: URL = workerFile(import.meta.url, 'thread')) {
    this.#file = file;
  }

  /** As `makeSegments`. Rejects when the thread fails; the index can then tokenize the documents itself. */
  make(fieldNames: readonly string[], documents: readonly UpcomingDocument[]): Promise<readonly (Segment | number)[]> {
    return new Promise((resolve, reject) => {
      const worker = (this.#worker ??= this.#start());
      const id = ++this.#lastId;
      worker.postMessage({ id, fieldNames, documents } satisfies SegmentsRequest);
      this.#pending.set(id, { resolve, reject });
      worker.ref();
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#file, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    worker.on('message', (reply: SegmentsReply) => this.#settle(reply));
    worker.on('error', () => undefined); // `exit` follows
    worker.on('exit', () => this.#lost(worker));
    return worker;
  }

  #settle(reply: SegmentsReply): void {
    const pending = this.#pending.get(reply.id);
    this.#forget(reply.id);
    if ('segments' in reply) pending?.resolve(reply.segments);
    else pending?.reject(new Error(reply.error));
  }

  #lost(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const [id, pending] of this.#pending) {
      this.#forget(id);
      pending.reject(new Error('the thread that makes segments ended'));
    }
  }

  #forget(id: number): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker?.unref();
  }
}
