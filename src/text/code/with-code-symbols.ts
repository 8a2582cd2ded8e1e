import type { CodeSymbols } from './symbols/index.ts';

export interface SourceDocument {
  readonly key: string;
  readonly meta: Readonly<Record<string, readonly string[]>>;
  readonly contentMd: string;
}

/** The meta keys that belong to the service in a code document. */
export const SYMBOL_KEYS = ['defines', 'uses', 'imports'] as const;

/**
 * The document with the metadata to store: of a code document the three symbol keys hold what its body
 * says, those without a name are absent, and supplied values do not survive; of other documents, which
 * have no symbols, the three are removed, as they are when one stops being code (contract, "Code
 * documents"). Returns the document itself when nothing changes.
 */
export function withCodeSymbols<T extends SourceDocument>(document: T, symbols: Pick<CodeSymbols, (typeof SYMBOL_KEYS)[number]> | undefined): T {
  const { meta } = document;
  if (SYMBOL_KEYS.every((name) => sameValues(own(meta, name), symbols?.[name] ?? []))) return document;
  const kept = Object.entries(meta).filter(([name]) => !(SYMBOL_KEYS as readonly string[]).includes(name));
  const found = SYMBOL_KEYS.flatMap((name): [string, readonly string[]][] => (symbols?.[name].length ? [[name, symbols[name]]] : []));
  return { ...document, meta: Object.fromEntries([...kept, ...found]) };
}

function own(meta: SourceDocument['meta'], name: string): readonly string[] | undefined {
  return Object.hasOwn(meta, name) ? meta[name] : undefined;
}

/** An absent key and one without values differ: the latter is removed. */
function sameValues(present: readonly string[] | undefined, wanted: readonly string[]): boolean {
  if (present === undefined) return wanted.length === 0;
  return wanted.length > 0 && present.length === wanted.length && present.every((value, i) => value === wanted[i]);
}
