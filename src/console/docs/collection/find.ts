import { aggregateDocuments, getVectorStats, listMetaKeys, searchDocuments, searchFullText,
  searchHybrid } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask, askWithResponse } from '../../shared/ask.ts';
import { groupPassages, type Hit, passagesByWords, SHOWN } from './passages.ts';

export const PAGE_SIZE = 20;

/** Passages that a search by meaning asks for at once; a document often has several. */
export const PASSAGES = 40;

/** Number of values of a key above which a list of them is no longer useful. */
const MOST_VALUES = 30;
const MOST_KEYS = 6;
const FACET_VALUES = 8;

export type Way = 'words' | 'meaning';

export interface Facet {
  readonly key: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

export interface Found {
  readonly hits: readonly Hit[];
  /** Absent for a search by meaning, to which every document is more or less near. */
  readonly total?: number;
  /** Whether nothing was found by its words. */
  readonly isByMeaningAlone?: boolean;
  readonly isLeast: boolean;
  /** Offset of the next page, if there is one. */
  readonly next?: number;
  readonly facets: readonly Facet[];
  /** Queries that would have found something. */
  readonly suggestions: readonly string[];
  /** The corrected query that was used instead of a misspelled one. */
  readonly corrected?: string;
}

/** What determines how a collection can be searched. */
export interface Abilities {
  readonly facetKeys: readonly string[];
  /** Whether it has vectors, and a provider for those of queries. */
  readonly hasMeaning: boolean;
}

interface Search {
  readonly collection: string;
  readonly query: string;
  readonly way: Way;
  readonly filters: Filters;
  /** An expression, or the empty text. */
  readonly expression: string;
  readonly offset: number;
  readonly facetKeys: readonly string[];
  readonly signal: AbortSignal;
}

/** What cannot be read is not there. */
export async function abilitiesOf(collection: string): Promise<Abilities> {
  const [facetKeys, hasMeaning] = await Promise.allSettled([facetKeysOf(collection), isEmbedded(collection)]);
  return {
    facetKeys: facetKeys.status === 'fulfilled' ? facetKeys.value : [],
    hasMeaning: hasMeaning.status === 'fulfilled' && hasMeaning.value,
  };
}

async function isEmbedded(collection: string): Promise<boolean> {
  return (await embeddedCollections()).has(collection.toLowerCase());
}

/** Names, in small letters, of the collections that can be searched by meaning. */
export async function embeddedCollections(): Promise<ReadonlySet<string>> {
  const { enabled, collections } = await ask(getVectorStats());
  const embedded = Object.entries(collections).filter(([, { embedded_documents }]) => embedded_documents > 0);
  return new Set(enabled ? embedded.map(([name]) => name) : []);
}

/** Metadata keys with few different values, which are useful as filters. */
async function facetKeysOf(collection: string): Promise<readonly string[]> {
  const { meta } = await ask(listMetaKeys({ query: { collection } }));
  return Object.entries(meta).filter(([, values]) => values.length > 1 && values.length <= MOST_VALUES).map(([key]) =>
    key
  ).slice(0, MOST_KEYS);
}

export function findPage(search: Search): Promise<Found> {
  if (search.query.trim() === '') return browse(search);
  return search.way === 'words' ? byWords(search) : byMeaning(search);
}

const filterOf = ({ filters, expression }: Search): { filterMeta?: Record<string, string[]>; filter?: string } => {
  const given = Object.entries(filters).filter(([, values]) => values.length > 0);
  return {
    filterMeta: given.length > 0 ? Object.fromEntries(given.map(([key, values]) => [key, [...values]])) : undefined,
    filter: expression || undefined,
  };
};

/** The page of a list whose length is known. */
function pageOf({ offset }: Search, hits: readonly Hit[], total: number): Pick<Found, 'hits' | 'total' | 'next'> {
  const next = offset + hits.length;
  return { hits, total, next: hits.length > 0 && next < total ? next : undefined };
}

async function browse(search: Search): Promise<Found> {
  const { collection, offset, facetKeys, signal } = search;
  const [{ data, response }, counted] = await Promise.all([askWithResponse(searchDocuments({
    signal,
    body: { collection, ...filterOf(search), sort: 'updatedAt', offset, limit: PAGE_SIZE, includeContent: false },
  })), facetKeys.length === 0 ? undefined : ask(aggregateDocuments({
    signal,
    body: {
      collection,
      ...filterOf(search),
      facets: facetKeys.map((field) => ({ field })),
      maxFacetSize: FACET_VALUES,
    },
  }))]);
  const hits = data.map((document): Hit => ({ document, passages: [] }));
  return {
    ...pageOf(search, hits, Number(response.headers.get('X-Total-Count') ?? data.length)),
    isLeast: false,
    facets: facetsOf(counted?.facets),
    suggestions: [],
  };
}

/** Words may be misspelt, and the last one unfinished. */
const AS_TYPED = { prefix: 'last', fuzzy: 'auto' } as const;
const HIGHLIGHTED = { ...AS_TYPED, highlight: true, maxHighlights: SHOWN } as const;

/** The documents that a search without filters finds first. */
export async function findFirst(collection: string, query: string, way: Way,
  limit: number): Promise<readonly Hit['document'][]>
{
  const body = { collection, query, ...AS_TYPED, limit, includeContent: false };
  const { results } = way === 'words' ? await ask(searchFullText({ body })) : await ask(searchHybrid({ body }));
  return results.map(({ document }) => document);
}

async function byWords(search: Search): Promise<Found> {
  const { collection, query, offset, facetKeys, signal } = search;
  const found = await ask(searchFullText({
    signal,
    body: {
      collection,
      query,
      ...filterOf(search),
      ...facetBy(facetKeys),
      ...HIGHLIGHTED,
      offset,
      limit: PAGE_SIZE,
      includeContent: false,
    },
  }));
  const hits = found.results.map(({ document, highlights }): Hit => ({
    document,
    passages: passagesByWords(highlights),
  }));
  return {
    ...pageOf(search, hits, found.totalMatches ?? found.total),
    isLeast: found.totalIsLowerBound === true,
    facets: facetsOf(found.facets),
    suggestions: found.suggestions ?? [],
    corrected: found.spellCorrected?.corrected,
  };
}

async function byMeaning(search: Search): Promise<Found> {
  const { collection, query, offset, facetKeys, signal } = search;
  const found = await ask(searchHybrid({
    signal,
    body: {
      collection,
      query,
      ...filterOf(search),
      ...facetBy(facetKeys),
      ...HIGHLIGHTED,
      offset,
      limit: PASSAGES + 1,
      retrievalMode: 'chunk',
      includeContent: false,
    },
  }));
  const isByMeaningAlone = found.results.every(({ ftsRank }) => ftsRank === undefined);
  return {
    hits: groupPassages(found.results.slice(0, PASSAGES)),
    isLeast: false,
    facets: facetsOf(found.facets),
    // Something is always near: the words may be misspelt nevertheless.
    suggestions: isByMeaningAlone ? (await byWords(search)).suggestions : [],
    isByMeaningAlone,
    next: found.results.length > PASSAGES ? offset + PASSAGES : undefined,
    corrected: found.spellCorrected?.corrected,
  };
}

const facetBy = (
  keys: readonly string[],
): { facetBy?: string[];
  facetMaxValues?: number } => (keys.length === 0 ? {} : { facetBy: [...keys], facetMaxValues: FACET_VALUES });

/** Without keys whose value differs in each document. */
function facetsOf(facets: Readonly<Record<string, readonly { value: string; count: number }[]>> = {}): Facet[] {
  return Object.entries(facets).filter(([, values]) => values.some(({ count }) => count > 1)).map(([key, values]) => ({
    key,
    values,
  }));
}

/** Values that documents must have, by metadata key: one of the values of each key. */
export type Filters = Readonly<Record<string, readonly string[]>>;

const PREFIX = 'f.';

/** In the URL they are `f.KEY`, a JSON list each, because values may contain any character. */
export function readFilters(query: Readonly<Record<string, string>>): Filters {
  const entries = Object.entries(query).filter(([name]) => name.startsWith(PREFIX));
  return Object.fromEntries(
    entries.map(([name, text]) => [name.slice(PREFIX.length), listOf(text)]).filter(([, values]) => values!.length > 0),
  );
}

/** Returns the parameters that change the filters of a URL into others. */
export function writeFilters(before: Filters, next: Filters): Record<string, string | undefined> {
  const keys = new Set([...Object.keys(before), ...Object.keys(next)]);
  return Object.fromEntries(
    [...keys].map((key) => [PREFIX + key, next[key]?.length ? JSON.stringify(next[key]) : undefined]),
  );
}

/** Adds a value to a filter, or removes it if it is there. */
export function toggled(filters: Filters, key: string, value: string): Filters {
  const values = filters[key] ?? [];
  return { ...filters, [key]: values.includes(value) ? values.filter((other) => other !== value) : [...values, value] };
}

function listOf(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.map(String) : [];
  } catch {
    return [];
  }
}
