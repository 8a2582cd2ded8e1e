import { ThreadClient, workerFile } from '../../../lib/thread-client.ts';
import { codeLanguage, codePath } from '../language.ts';
import { type CodeSymbols, type ExtractContext, hasSymbols, MAX_SOURCE_LENGTH, readSymbols,
  type SourceDocument } from '../symbols/index.ts';

/** A source to read. The thread replies in order. */
export interface SymbolRequest extends ExtractContext {
  readonly language: string;
  readonly source: string;
}

interface SymbolReaderOptions {
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
  readonly #thread: ThreadClient<SymbolRequest, CodeSymbols>;

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

/** Sources of up to this many UTF-16 units are read on the calling thread, within a time limit. */
const INLINE_LENGTH = 16 * 1024;
const INLINE_MS = 10;

/** One for the process: the thread has no state, and the memory for one thread is enough. */
const shared = new SymbolReader();

/**
 * The symbols of a code document with the lines of their first occurrences. Most sources are read faster than they
 * could be sent to a thread; long or difficult sources are read in a thread, so that none blocks the event loop.
 * Rejects with `SymbolsUnread` if the thread fails. `inlineMs`: the time limit on the calling thread; for tests.
 */
export async function symbolsOf(document: SourceDocument,
  { maxSymbols, inlineMs = INLINE_MS }: { readonly maxSymbols: number; readonly inlineMs?: number },
  reader: Pick<SymbolReader, 'read'> = shared): Promise<CodeSymbols>
{
  const language = codeLanguage(document);
  const source = document.contentMd;
  const context = { path: codePath(document), maxSymbols };
  if (source.length <= INLINE_LENGTH || !hasSymbols(language)) {
    const { symbols, complete } = readSymbols(language, source, context, inlineMs);
    if (complete) return symbols;
  }
  return reader.read({ ...context, language, source: source.slice(0, MAX_SOURCE_LENGTH) });
}
