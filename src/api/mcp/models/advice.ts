import { ServiceError } from '../../../errors/index.ts';
import { closest } from '../../../lib/did-you-mean.ts';
import { isSystemCollection } from '../../../lib/system-collection.ts';
import type { DocumentName } from './arguments.ts';
import type { ModelService } from './model-tool.ts';

/** Number of collection names that an error lists. */
const SHOWN = 20;

/** Runs work that needs a document; if there is no such document, the error lists documents that may be meant. */
export async function withDocument<T>(service: ModelService, name: DocumentName, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') throw await documentMissing(service, name);
    throw error;
  }
}

async function documentMissing(service: ModelService, { collection, key, lang }: DocumentName): Promise<ServiceError> {
  const unknown = await collectionMissing(service, collection);
  if (unknown !== undefined) return unknown;
  const near = await nearDocuments(service, collection, key);
  return new ServiceError('not_found', `there is no document ${key} in the language ${lang} in ${collection}`, {
    body: near.length === 0
      ? { advice: 'call search or list_documents to find its key' }
      : { advice: 'one of these may be meant; otherwise call search or list_documents', documents: near },
  });
}

/**
 * Returns the error for a collection that does not exist; undefined if it exists, or if the caller may not know which
 * ones exist.
 */
export async function collectionMissing(service: ModelService, collection: string): Promise<ServiceError | undefined> {
  const known = (await collectionsOf(service)).map(({ name }) => name);
  if (known.length === 0 || known.some((name) => name.toLowerCase() === collection.toLowerCase())) return undefined;
  const meant = closest(collection, known);
  const list = known.slice(0, SHOWN).join(', ');
  return new ServiceError('not_found', `there is no collection ${collection}`, {
    body: {
      advice: `${meant === undefined ? '' : `did you mean ${meant}? `}collections: ${list}${
        known.length > SHOWN ? ', …' : ''
      }`,
    },
  });
}

async function nearDocuments(service: ModelService, collection: string,
  key: string): Promise<{ key: string; lang: string }[]>
{
  const query = key.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
  try {
    const [{ results }, documents] = await Promise.all([
      query === '' ? { results: [] } : service.call('searchHybrid', { collection, query, topK: 3, fuzzy: 'auto' }),
      service.call('searchDocuments', { collection, limit: 200, includeContent: false, fields: ['title'] }),
    ]);
    const meant = closest(key, documents.map((document) => document.key));
    const named = documents.filter((document) => document.key === meant);
    const all = [...named, ...results.map(({ document }) => document)].map((document) => ({
      key: document.key,
      lang: document.lang,
    }));
    return [...new Map(all.map((document) => [`${document.key}|${document.lang}`, document])).values()].slice(0, 4);
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
}

/** A collection as a list shows it. */
interface KnownCollection {
  readonly name: string;
  /** Absent if the caller may not read the statistics. */
  readonly documents?: number;
}

/**
 * The collections that the caller may see: for administrators all with documents, otherwise those whose configuration
 * the caller may read.
 */
export async function collectionsOf(service: ModelService): Promise<KnownCollection[]> {
  try {
    const { collections } = await service.call('getStats', {});
    return collections.filter(({ name }) => !isSystemCollection(name)).map(({ name, documentCount }) => ({
      name,
      documents: documentCount,
    }));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  try {
    const { configs } = await service.call('listCollectionConfigs', {});
    return configs.map(({ collection }) => ({ name: collection })).filter(({ name }) => !isSystemCollection(name));
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
}
