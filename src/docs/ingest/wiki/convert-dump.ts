import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { WikiDumpError, type DumpBatch, type DumpOptions } from '../../../convert/wiki/index.ts';
import { workerFile } from '../../../lib/worker-file.ts';
import type { FromThread, ToThread } from './protocol.ts';

/** Memory that the thread may have, most of it for the largest pages. */
const MAX_HEAP_MB = 384;

/** Bytes are gathered to pieces of this size while the thread is busy: a message to it has its price. */
const PIECE = 256 * 1024;

/** Pieces that are with the thread. */
const MOST_UNREAD = 4;

export interface ConvertOptions extends DumpOptions {
  /** Ends the thread. */
  readonly signal: AbortSignal;
  /** Megabytes of memory for the thread; for tests. */
  readonly heap?: number;
}

/**
 * The pages of a dump as documents, converted in a thread of its own as the dump comes in. No more is read of it than the thread
 * can take, and no more converted than is asked for; whoever stops asking ends the thread.
 * @throws {WikiDumpError} What is wrong with the dump, after the pages before it; whatever `dump` or the signal throws.
 */
export async function* convertDump(dump: AsyncIterable<Uint8Array>, { signal, heap = MAX_HEAP_MB, ...options }: ConvertOptions): AsyncGenerator<DumpBatch> {
  signal.throwIfAborted();
  const worker = new Worker(workerFile(import.meta.url, 'dump-thread'), { workerData: options satisfies DumpOptions, resourceLimits: { maxOldGenerationSizeMb: heap, maxYoungGenerationSizeMb: 16 } });
  const ended = new AbortController();
  const feeder = new Feeder(worker, ended);
  const stopped = AbortSignal.any([signal, ended.signal]);
  const tell = (message: ToThread): void => worker.postMessage(message);
  worker.once('error', (error) => ended.abort(failure(error)));
  worker.once('exit', () => ended.abort(new Error('the thread that converts the dump ended')));
  try {
    void feeder.feed(dump);
    for await (const [message] of on(worker, 'message', { signal: stopped }) as AsyncIterable<[FromThread]>) {
      if (message.kind === 'read') feeder.room();
      else if (message.kind === 'done') return;
      else if (message.kind === 'failed') throw new WikiDumpError(message.message, { isTooLarge: message.isTooLarge });
      else {
        yield message.batch;
        tell({ kind: 'written' });
      }
    }
  } catch (error) {
    // Waiting ends with an error of its own, whose cause is why. What is wrong with the dump comes first: the thread ends after it has told.
    if (!(error instanceof WikiDumpError)) stopped.throwIfAborted();
    throw error;
  } finally {
    feeder.stop();
    await worker.terminate();
  }
}

/** A page that needs more memory than there is for one is a fault of the dump's. */
function failure(error: Error): Error {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? new WikiDumpError('a page takes more memory than there is for one', { isTooLarge: true, cause: error }) : error;
}

/** Hands the dump to the thread as it takes it. */
class Feeder {
  readonly #worker: Worker;
  readonly #failed: AbortController;
  #unread = 0;
  #isStopped = false;
  #wake: (() => void) | undefined;

  constructor(worker: Worker, failed: AbortController) {
    this.#worker = worker;
    this.#failed = failed;
  }

  /** Never rejects: a dump that fails ends the conversion with its reason, once what came before is converted. */
  async feed(dump: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      let gathered: Uint8Array[] = [];
      let length = 0;
      for await (const bytes of dump) {
        if (this.#isStopped) return;
        gathered.push(bytes);
        length += bytes.length;
        if (length < PIECE && this.#unread > 0) continue;
        await this.#send(gathered, length);
        [gathered, length] = [[], 0];
      }
      if (length > 0) await this.#send(gathered, length);
      if (!this.#isStopped) this.#worker.postMessage({ kind: 'end' } satisfies ToThread);
    } catch (error) {
      this.#failed.abort(error);
    }
  }

  async #send(pieces: readonly Uint8Array[], length: number): Promise<void> {
    while (this.#unread >= MOST_UNREAD && !this.#isStopped) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#isStopped) return;
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    this.#unread++;
    this.#worker.postMessage({ kind: 'bytes', bytes } satisfies ToThread, [bytes.buffer]);
  }

  /** The thread has read a piece. */
  room(): void {
    this.#unread--;
    this.#wake?.();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake?.();
  }
}
