import { codeLanguage, codePath } from '../language.ts';
import { type CodeSymbols, hasSymbols, MAX_SOURCE_LENGTH, readSymbols } from '../symbols/index.ts';
import type { SourceDocument } from '../with-code-symbols.ts';
import { SymbolReader } from './symbol-reader.ts';

/** Sources up to this length, in UTF-16 units, are read at once, as long as that goes fast. */
const INLINE_LENGTH = 16 * 1024;
const INLINE_MS = 10;

/** One for the process: the thread has no state, and memory for one is enough. */
const shared = new SymbolReader();

/**
 * The symbols of a code document with the lines on which they come first. Most sources are read faster than a
 * thread could be told of them; whatever is long or turns out difficult goes to a thread, so that
 * nothing holds the event loop. Rejects with `SymbolsUnread` when that gives up.
 */
export async function symbolsOf(document: SourceDocument, { maxSymbols }: { readonly maxSymbols: number }, reader: Pick<SymbolReader, 'read'> = shared): Promise<CodeSymbols> {
  const language = codeLanguage(document);
  const source = document.contentMd;
  const context = { path: codePath(document), maxSymbols };
  if (source.length <= INLINE_LENGTH || !hasSymbols(language)) {
    const { symbols, complete } = readSymbols(language, source, context, INLINE_MS);
    if (complete) return symbols;
  }
  return reader.read({ ...context, language, source: source.slice(0, MAX_SOURCE_LENGTH) });
}
