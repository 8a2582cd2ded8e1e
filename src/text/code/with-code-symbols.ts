import type { CodeSymbols } from './symbols/index.ts';

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
