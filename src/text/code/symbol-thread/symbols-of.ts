import { codeLanguage, codePath } from '../language.ts';
import { type CodeSymbols, hasSymbols, MAX_SOURCE_LENGTH, readSymbols } from '../symbols/index.ts';
import type { SourceDocument } from '../with-code-symbols.ts';
import { SymbolReader } from './symbol-reader.ts';

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
