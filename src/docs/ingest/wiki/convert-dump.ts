import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type DumpBatch, type DumpOptions, type WikiDocument, WikiDumpError } from '../../../convert/wiki/index.ts';
import { freeBytes } from '../../../lib/bytes.ts';
import { workerFile } from '../../../lib/thread-client.ts';
import { documentsOf, type FromThread, type ToThread } from './packed-batch.ts';

/** Memory limit of the thread in MiB; most of it is needed for the largest pages. */
const MAX_HEAP_MB = 384;

/** The part of it for young objects, in MB. Pages are released soon, so a larger one only delays their collection. */
const YOUNG_MB = 6;

/** While the thread is busy, bytes are collected into pieces of this size, because each message has a cost. */
const PIECE = 256 * 1024;

/** Maximum number of pieces that are in the thread or on the way. */
const MOST_UNREAD = 4;

/** A batch of pages. Its documents are made each time they are iterated, and only until the next batch is requested. */
export interface ConvertedBatch extends Pick<DumpBatch, 'skipped' | 'indexes'> {
  readonly documents: Iterable<WikiDocument>;
}

interface ConvertOptions extends DumpOptions {
  /** Ends the thread. */
  readonly signal: AbortSignal;
  /** Whether this function owns the pieces of the dump; then they are freed as soon as they are passed on. */
  readonly ownsPieces?: boolean;
  /** Megabytes of memory for the thread; for tests. */
  readonly heap?: number;
}

/**
 * The pages of a dump as documents, converted in a separate thread while the dump arrives. The dump is read only as
 * fast as the thread converts, and converted only as fast as the caller reads; when the caller stops reading, the
 * thread ends.
 * @throws {WikiDumpError} What is wrong with the dump, after the pages before it; also errors of `dump` and the reason
 * of the signal.
 */
export async function* convertDump(dump: AsyncIterable<Uint8Array>,
  { signal, ownsPieces = false, heap = MAX_HEAP_MB, ...options }: ConvertOptions): AsyncGenerator<ConvertedBatch>
{
  signal.throwIfAborted();
  // Not a `ThreadClient`: pieces and pages stream both ways at once, each with its own back-pressure, and none is the
  // reply to another; and the buffers of pieces come back.
  const worker = new Worker(workerFile(import.meta.url, 'dump-thread'), {
    workerData: options satisfies DumpOptions,
    resourceLimits: { maxOldGenerationSizeMb: heap, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const ended = new AbortController();
  const feeder = new Feeder(worker, ended);
  const stopped = AbortSignal.any([signal, ended.signal]);
  worker.once('error', (error) => ended.abort(failure(error)));
  worker.once('exit', () => ended.abort(new Error('the thread that converts the dump ended')));
  try {
    void feeder.feed(dump, ownsPieces);
    for await (const [message] of on(worker, 'message', { signal: stopped }) as AsyncIterable<[FromThread]>) {
      if (message.kind === 'read') feeder.giveBack(message.buffer);
      else if (message.kind === 'done') return;
      else if (message.kind === 'failed') throw new WikiDumpError(message.message, { isTooLarge: message.isTooLarge });
      else {
        const { batch } = message;
        const { bytes, skipped, indexes } = batch;
        yield { documents: { [Symbol.iterator]: () => documentsOf(batch) }, skipped, indexes };
        worker.postMessage({ kind: 'written', bytes } satisfies ToThread, [bytes.buffer]);
      }
    }
  } catch (error) {
    // Waiting ends with an error of its own, whose cause is the real reason. An error in the dump takes precedence: the
    // thread ends after it has reported it.
    if (!(error instanceof WikiDumpError)) stopped.throwIfAborted();
    throw error;
  } finally {
    feeder.stop();
    await worker.terminate();
  }
}

/** If a page needs more memory than the thread has, the dump is at fault. */
function failure(error: Error): Error {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new WikiDumpError('a page takes more memory than there is for one', { isTooLarge: true, cause: error })
    : error;
}

/**
 * Passes the dump to the thread as fast as it takes it. Buffers are sent there and back, so that none need to be
 * garbage-collected.
 */
class Feeder {
  readonly #worker: Worker;
  readonly #failed: AbortController;
  readonly #free: ArrayBuffer[] = Array.from({ length: MOST_UNREAD }, () => new ArrayBuffer(PIECE));
  #isStopped = false;
  #wake: (() => void) | undefined;

  constructor(worker: Worker, failed: AbortController) {
    this.#worker = worker;
    this.#failed = failed;
  }

  /** Never rejects: if the dump fails, the conversion ends with that error. */
  async feed(dump: AsyncIterable<Uint8Array>, ownsPieces: boolean): Promise<void> {
    try {
      let buffer = await this.#take();
      let length = 0;
      for await (const bytes of dump) {
        for (let from = 0; from < bytes.length && !this.#isStopped;) {
          const piece = bytes.subarray(from, from + PIECE - length);
          new Uint8Array(buffer, length).set(piece);
          from += piece.length;
          length += piece.length;
          // An idle thread gets an incomplete piece.
          if (length < PIECE && this.#free.length < MOST_UNREAD - 1) continue;
          this.#send(buffer, length);
          [buffer, length] = [await this.#take(), 0];
        }
        if (this.#isStopped) return;
        if (ownsPieces) freeBytes(bytes);
      }
      if (length > 0) this.#send(buffer, length);
      if (!this.#isStopped) this.#worker.postMessage({ kind: 'end' } satisfies ToThread);
    } catch (error) {
      this.#failed.abort(error);
    }
  }

  async #take(): Promise<ArrayBuffer> {
    while (this.#free.length === 0 && !this.#isStopped) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#free.pop() ?? new ArrayBuffer(0);
  }

  #send(buffer: ArrayBuffer, length: number): void {
    if (!this.#isStopped)
      this.#worker.postMessage({ kind: 'bytes', bytes: new Uint8Array(buffer, 0, length) } satisfies ToThread, [
        buffer,
      ]);
  }

  /** The thread has read a piece and no longer needs its buffer. */
  giveBack(buffer: ArrayBuffer): void {
    this.#free.push(buffer);
    this.#wake?.();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake?.();
  }
}
