import { getMetrics, getStats, searchDocuments } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { CollectionStats } from '../../../generated/docs/sdk/types.gen.ts';
import { ask, RequestError } from '../shared/ask.ts';
import { readExposition } from '../shared/exposition.ts';
import { type Lines, writeLines } from '../shared/lines.ts';
import type { Command } from '../shared/palette.tsx';
import { href } from '../shared/router.ts';
import { embeddedCollections, findFirst, type Way } from './collection/find.ts';

/** Identifies a document in its collection. */
interface DocumentName {
  readonly key: string;
  readonly lang: string;
}

export const collectionAt = (collection: string): string => href(['collections', collection]);

/** The address of a document, opened at some lines of it. */
export const documentAt = (collection: string, { key, lang }: DocumentName, tab?: string, lines?: Lines): string =>
  href(['collections', collection, 'document'], { key, lang, tab, lines: lines && writeLines(lines) });

interface SearchedCollection {
  readonly name: string;
  readonly way: Way;
}

const COLLECTIONS = 5;
const HITS = 4;

let known: Promise<readonly SearchedCollection[]> | undefined;

/**
 * Collections whose name matches, and documents of the largest collections whose key begins so, or that a search of the
 * collection finds first.
 */
export async function findCommands(typed: string): Promise<readonly Command[]> {
  const collections = await (known ??= largestFirst());
  const named = collections.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase())).map((
    { name },
  ): Command => ({
    label: name,
    hint: 'collection',
    run: () => void (location.hash = collectionAt(name)),
  }));
  if (typed.length < 2) return named;
  const found = await Promise.allSettled(collections.slice(0, COLLECTIONS).map((each) => documentsIn(each, typed)));
  return [...named, ...found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))];
}

async function largestFirst(): Promise<readonly SearchedCollection[]> {
  setTimeout(() => {
    known = undefined;
  }, 10_000);
  const [all, embedded] = await Promise.all([readCollections(), embeddedCollections().catch(() => new Set<string>())]);
  return all.toSorted((a, b) => b.documentCount - a.documentCount).map(({ name }) => ({
    name,
    way: embedded.has(name.toLowerCase()) ? 'meaning' : 'words',
  }));
}

async function documentsIn({ name: collection, way }: SearchedCollection, typed: string): Promise<Command[]> {
  const [named, found] = await Promise.all([ask(searchDocuments({
    body: { collection, filter: `key STARTS WITH ${JSON.stringify(typed)}`, fields: ['title'], limit: HITS },
  })), findFirst(collection, typed, way, HITS).catch(() => [])]);
  const distinct = new Map([...named, ...found].map((document) => [document.id, document]));
  return [...distinct.values()].map((document) => ({
    label: document.meta?.['title']?.[0] ?? document.key,
    hint: `${collection} · ${document.lang}`,
    run: () => void (location.hash = documentAt(collection, document)),
  }));
}

/** A collection; values that only administrators may see are absent for others. */
export type KnownCollection = Pick<CollectionStats, 'name' | 'documentCount'> & Partial<CollectionStats>;

/**
 * The collections that the caller may read, by name. Statistics are for administrators; for other callers the metrics
 * are used, which contain each caller's own collections. If metrics are off, the list is empty, and collections are
 * opened by entering their names.
 */
export async function readCollections(signal?: AbortSignal): Promise<readonly KnownCollection[]> {
  try {
    return (await ask(getStats({ signal }))).collections;
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 403) throw error;
  }
  const { data } = await getMetrics({ signal, parseAs: 'text' });
  const samples = readExposition(String(data ?? '')).filter(({ name }) => name === 'svc_documents_total');
  return samples.map(({ labels, value }) => ({ name: labels['collection'] ?? '', documentCount: value })).sort((a,
    b) => (a.name < b.name ? -1 : 1)
  );
}
