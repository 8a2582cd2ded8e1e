import { ThreadClient } from '../../../lib/thread-client.ts';
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

/** The thread itself stops reading after a second; this limit applies if it cannot. */
const LIMIT_MS = 3000;
/** Memory limit at which the thread is ended, so that the process survives. */
const MAX_HEAP_MB = 512;

/** Reads sources in a thread of its own, one at a time and in order. */
export class SymbolReader {
  readonly #thread: ThreadClient<SymbolRequest, SymbolAnswer>;

  constructor(
    { thread = workerFile(import.meta.url, 'thread'), limit = LIMIT_MS, heap = MAX_HEAP_MB }: SymbolReaderOptions = {},
  ) {
    this.#thread = new ThreadClient(thread, {
      name: 'the thread that reads sources',
      limitMs: limit,
      resourceLimits: { maxOldGenerationSizeMb: heap },
      failure: (message, cause) => new SymbolsUnread(message, cause),
    });
  }

  /** Rejects only with `SymbolsUnread`. */
  read(request: SymbolRequest): Promise<CodeSymbols> {
    return this.#thread.request(request);
  }
}
