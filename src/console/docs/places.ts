import { searchDocuments, searchFullText } from '../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../shared/ask.ts';
import type { Command } from '../shared/palette.tsx';
import { href } from '../shared/router.ts';
import { readCollections } from './read-collections.ts';

/** Identifies a document in its collection. */
export interface DocumentName {
  readonly key: string;
  readonly lang: string;
}

export const collectionAt = (collection: string): string => href(['collections', collection]);

export const documentAt = (collection: string, { key, lang }: DocumentName, tab?: string): string =>
  href(['collections', collection, 'document'], { key, lang, tab });

const COLLECTIONS = 5;
const HITS = 4;

let stats: Promise<readonly string[]> | undefined;

/**
 * Collections whose name matches, and documents of the largest collections whose key begins so or that contain the
 * words.
 */
export async function findCommands(typed: string): Promise<readonly Command[]> {
  const names = await (stats ??= largestFirst());
  const named = names.filter((name) => name.toLowerCase().includes(typed.toLowerCase())).map((name): Command => ({
    label: name,
    hint: 'collection',
    run: () => void (location.hash = collectionAt(name)),
  }));
  if (typed.length < 2) return named;
  const found = await Promise.allSettled(names.slice(0, COLLECTIONS).map((name) => documentsIn(name, typed)));
  return [...named, ...found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))];
}

async function largestFirst(): Promise<readonly string[]> {
  setTimeout(() => {
    stats = undefined;
  }, 10_000);
  return (await readCollections()).toSorted((a, b) => b.documentCount - a.documentCount).map(({ name }) => name);
}

async function documentsIn(collection: string, typed: string): Promise<Command[]> {
  const [named, found] = await Promise.all([ask(searchDocuments({
    body: { collection, filter: `key STARTS WITH ${JSON.stringify(typed)}`, fields: ['title'], limit: HITS },
  })),
    ask(searchFullText({ body: { collection, query: typed, limit: HITS, prefix: 'last', includeContent: false } }))
      .then(({ results }) => results.map(({ document }) => document), () => [])]);
  const distinct = new Map([...named, ...found].map((document) => [document.id, document]));
  return [...distinct.values()].map((document) => ({
    label: document.meta?.['title']?.[0] ?? document.key,
    hint: `${collection} · ${document.lang}`,
    run: () => void (location.hash = documentAt(collection, document)),
  }));
}
