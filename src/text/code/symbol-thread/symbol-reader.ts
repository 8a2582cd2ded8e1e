import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../lib/worker-file.ts';
import type { CodeSymbols } from '../symbols/index.ts';
import type { SymbolAnswer, SymbolRequest } from './protocol.ts';

export interface SymbolReaderOptions {
  /** Module of the thread; for tests. */
  readonly thread?: URL;
  /** Maximum milliseconds for one source; for tests. */
  readonly limit?: number;
  /** Maximum memory of the thread in MB; for tests. */
  readonly heap?: number;
}

/** The symbols of a source are unknown, because the thread was too slow, ran out of memory, or could not start. */
export class SymbolsUnread extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SymbolsUnread';
  }
}

interface Job {
  readonly request: SymbolRequest;
  readonly resolve: (symbols: CodeSymbols) => void;
  readonly reject: (error: SymbolsUnread) => void;
}

/** The thread itself stops reading after a second; this limit applies if it cannot. */
const LIMIT_MS = 3000;
/** Memory limit at which the thread is ended, so that the process survives. */
const MAX_HEAP_MB = 512;

/**
 * Reads sources in a thread of its own, one at a time and in order. The thread is started with the first source and
 * after each failure, and keeps the process alive only while it reads.
 */
export class SymbolReader {
  readonly #thread: URL;
  readonly #limit: number;
  readonly #heap: number;
  readonly #waiting: Job[] = [];
  #job: Job | undefined;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    { thread = workerFile(import.meta.url, 'thread'), limit = LIMIT_MS, heap = MAX_HEAP_MB }: SymbolReaderOptions = {},
  ) {
    this.#thread = thread;
    this.#limit = limit;
    this.#heap = heap;
  }

  /** Rejects only with `SymbolsUnread`. */
  read(request: SymbolRequest): Promise<CodeSymbols> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  /** The time limit begins here: it does not include waiting for other sources. */
  #next(): void {
    if (this.#job !== undefined) return;
    const job = (this.#job = this.#waiting.shift());
    if (job === undefined) return;
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    this.#timer = setTimeout(
      () => this.#lose(worker, new SymbolsUnread(`the source was not read within ${this.#limit} ms`)),
      this.#limit,
    );
    worker.postMessage(job.request);
  }

  #start(): Worker {
    const worker = new Worker(this.#thread, { resourceLimits: { maxOldGenerationSizeMb: this.#heap } });
    let cause: unknown;
    worker.on('message', (symbols: SymbolAnswer) => this.#settle(worker, ({ resolve }) => resolve(symbols)));
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => this.#lose(worker, new SymbolsUnread('the thread that reads sources ended', cause)));
    return worker;
  }

  #lose(worker: Worker, reason: SymbolsUnread): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    void worker.terminate();
    this.#settle(undefined, ({ reject }) => reject(reason));
  }

  /** Messages of a thread that was given up are ignored. */
  #settle(worker: Worker | undefined, finish: (job: Job) => void): void {
    if (worker !== this.#worker) return;
    const job = this.#job;
    this.#job = undefined;
    clearTimeout(this.#timer);
    worker?.unref();
    if (job !== undefined) finish(job);
    this.#next();
  }
}
