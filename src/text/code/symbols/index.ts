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

export interface SourceDocument {
  readonly key: string;
  readonly meta: Readonly<Record<string, readonly string[]>>;
  readonly contentMd: string;
}

/** The meta keys of a code document that the service sets. */
export const SYMBOL_KEYS = ['defines', 'uses', 'imports'] as const;

/**
 * The document with the metadata to store. For a code document, the three symbol keys contain the symbols of its body:
 * supplied values are replaced, and keys without names are absent. For other documents, which have no symbols, the
 * three keys are removed, also when a document stops being code (contract, "Code documents"). Returns the document
 * itself if nothing changes.
 */
export function withCodeSymbols<T extends SourceDocument>(document: T,
  symbols: Pick<CodeSymbols, (typeof SYMBOL_KEYS)[number]> | undefined): T
{
  const { meta } = document;
  if (SYMBOL_KEYS.every((name) => sameValues(own(meta, name), symbols?.[name] ?? []))) return document;
  const kept = Object.entries(meta).filter(([name]) => !(SYMBOL_KEYS as readonly string[]).includes(name));
  const found = SYMBOL_KEYS.flatMap((
    name,
  ): [string, readonly string[]][] => (symbols?.[name].length ? [[name, symbols[name]]] : []));
  return { ...document, meta: Object.fromEntries([...kept, ...found]) };
}

function own(meta: SourceDocument['meta'], name: string): readonly string[] | undefined {
  return Object.hasOwn(meta, name) ? meta[name] : undefined;
}

/** A key without values differs from an absent key: it has to be removed. */
function sameValues(present: readonly string[] | undefined, wanted: readonly string[]): boolean {
  if (present === undefined) return wanted.length === 0;
  return wanted.length > 0 && present.length === wanted.length && present.every((value, i) => value === wanted[i]);
}
