import { aggregateDocuments, listMetaKeys, searchDocuments, searchFullText, searchHybrid } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { ProjectedDocument } from '../../../../generated/docs/sdk/types.gen.ts';
import { ask, askWithResponse } from '../../shared/ask.ts';
import type { Filters } from './filters.ts';

export const PAGE_SIZE = 20;

/** Number of values of a key above which a list of them is no longer useful. */
const MOST_VALUES = 30;
const MOST_KEYS = 6;
const FACET_VALUES = 8;

export type Way = 'words' | 'meaning';

export interface Hit {
  readonly document: ProjectedDocument;
  /** Passages with the matches tagged. */
  readonly passages: readonly string[];
}

export interface Facet {
  readonly key: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

export interface Found {
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly isLeast: boolean;
  readonly facets: readonly Facet[];
  /** The corrected query that was used instead of a misspelled one. */
  readonly corrected?: string;
}

export interface Search {
  readonly collection: string;
  readonly query: string;
  readonly way: Way;
  readonly filters: Filters;
  readonly offset: number;
  readonly facetKeys: readonly string[];
  readonly signal: AbortSignal;
}

/** Metadata keys with few different values, which are useful as filters. */
export async function facetKeysOf(collection: string): Promise<readonly string[]> {
  const { meta } = await ask(listMetaKeys({ query: { collection } }));
  return Object.entries(meta).filter(([, values]) => values.length > 1 && values.length <= MOST_VALUES).map(([key]) => key).slice(0, MOST_KEYS);
}

export function findPage(search: Search): Promise<Found> {
  if (search.query === '') return browse(search);
  return search.way === 'words' ? byWords(search) : byMeaning(search);
}

const filterOf = ({ filters }: Search): { filterMeta?: Record<string, string[]> } => {
  const given = Object.entries(filters).filter(([, values]) => values.length > 0);
  return given.length === 0 ? {} : { filterMeta: Object.fromEntries(given.map(([key, values]) => [key, [...values]])) };
};

async function browse(search: Search): Promise<Found> {
  const { collection, offset, facetKeys, signal } = search;
  const [{ data, response }, counted] = await Promise.all([
    askWithResponse(searchDocuments({ signal, body: { collection, ...filterOf(search), sort: 'updatedAt', offset, limit: PAGE_SIZE, includeContent: false } })),
    facetKeys.length === 0 ? undefined : ask(aggregateDocuments({ signal, body: { collection, ...filterOf(search), facets: facetKeys.map((field) => ({ field })), maxFacetSize: FACET_VALUES } })),
  ]);
  return { hits: data.map((document) => ({ document, passages: [] })), total: Number(response.headers.get('X-Total-Count') ?? data.length), isLeast: false, facets: facetsOf(counted?.facets) };
}

async function byWords(search: Search): Promise<Found> {
  const { collection, query, offset, facetKeys, signal } = search;
  const found = await ask(searchFullText({ signal, body: { collection, query, ...filterOf(search), ...facetBy(facetKeys), offset, limit: PAGE_SIZE, prefix: 'last', fuzzy: 'auto', highlight: true, maxHighlights: 2, includeContent: false } }));
  const hits = found.results.map(({ document, highlights = [] }): Hit => ({ document, passages: highlights.filter(({ field }) => field === 'content').map(({ fragment }) => fragment).slice(0, 2) }));
  return { hits, total: found.totalMatches ?? found.total, isLeast: found.totalIsLowerBound === true, facets: facetsOf(found.facets), ...(found.spellCorrected && { corrected: found.spellCorrected.corrected }) };
}

async function byMeaning(search: Search): Promise<Found> {
  const { collection, query, offset, facetKeys, signal } = search;
  const found = await ask(searchHybrid({ signal, body: { collection, query, ...filterOf(search), ...facetBy(facetKeys), offset, limit: PAGE_SIZE, retrievalMode: 'chunk', includeContent: false } }));
  const hits = found.results.map(({ document, chunkText }): Hit => ({ document, passages: chunkText === undefined ? [] : [chunkText.slice(0, 300)] }));
  return { hits, total: found.total, isLeast: false, facets: facetsOf(found.facets), ...(found.spellCorrected && { corrected: found.spellCorrected.corrected }) };
}

const facetBy = (keys: readonly string[]): { facetBy?: string[]; facetMaxValues?: number } => (keys.length === 0 ? {} : { facetBy: [...keys], facetMaxValues: FACET_VALUES });

/** Without keys whose value differs in each document. */
function facetsOf(facets: Readonly<Record<string, readonly { value: string; count: number }[]>> = {}): Facet[] {
  return Object.entries(facets).filter(([, values]) => values.some(({ count }) => count > 1)).map(([key, values]) => ({ key, values }));
}
