import { readMarkup } from './markup.ts';
import { readScript, withinTime } from './script.ts';
import { readStyle } from './style.ts';
import { type Piece, SymbolSets } from './symbol-set.ts';

/** Only the first UTF-16 units of a source, up to this number, are read. */
export const MAX_SOURCE_LENGTH = 4 * 1024 * 1024;
const READ_MILLISECONDS = 1000;

export interface ExtractContext {
  /** Path of the document, to resolve imports against. */
  readonly path: string;
  /** Maximum number of names of each kind, see `SVC_CODE_MAX_SYMBOLS`. */
  readonly maxSymbols: number;
}

/** Names by kind; each kind is deduplicated, sorted and limited. */
export interface CodeSymbols {
  readonly defines: readonly string[];
  readonly uses: readonly string[];
  readonly imports: readonly string[];
  /** The line of the first occurrence of each name, counted from 1. */
  readonly locations: {
    readonly defines: ReadonlyMap<string, number>;
    readonly uses: ReadonlyMap<string, number>;
    readonly imports: ReadonlyMap<string, number>;
  };
}

type Reader = (piece: Piece, language: string, symbols: SymbolSets) => void;

const READERS: Readonly<Record<string, Reader>> = {
  css: readStyle,
  scss: readStyle,
  less: readStyle,
  javascript: readScript,
  typescript: readScript,
  html: readMarkup,
  vue: readMarkup,
  svelte: readMarkup,
};

/** Whether there is a reader for the symbols of a language. */
export function hasSymbols(language: string): boolean {
  return Object.hasOwn(READERS, language);
}

/**
 * The symbols of a source (contract, "Code documents"); none for a language without a reader. Never throws: returns
 * what can be read of a broken source, and what can be read of a hostile source within a second.
 */
export function extractSymbols(language: string, source: string, context: ExtractContext): CodeSymbols {
  return readSymbols(language, source, context, READ_MILLISECONDS).symbols;
}

/** Like `extractSymbols`, with another time limit. `complete` is false if the source was not read to its end. */
export function readSymbols(language: string, source: string, { path, maxSymbols }: ExtractContext,
  milliseconds: number): { symbols: CodeSymbols; complete: boolean }
{
  const sets = new SymbolSets();
  const piece: Piece = { source: source.slice(0, MAX_SOURCE_LENGTH), line: 1, path };
  const complete = !hasSymbols(language) || withinTime(milliseconds, () => READERS[language]!(piece, language, sets));
  return { symbols: toSymbols(sets, maxSymbols), complete };
}

function toSymbols(symbols: SymbolSets, maxSymbols: number): CodeSymbols {
  const defines = symbols.defines.first(maxSymbols);
  const uses = symbols.uses.first(maxSymbols);
  const imports = symbols.imports.first(maxSymbols);
  return {
    defines: defines.names,
    uses: uses.names,
    imports: imports.names,
    locations: { defines: defines.lines, uses: uses.lines, imports: imports.lines },
  };
}
