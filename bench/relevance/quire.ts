import { join } from 'node:path';
import type { Algorithm } from '../../src/docs/fulltext/view/text-index.ts';
import { clientOf, type Found } from '../support/client.ts';
import { startQuire } from '../support/server.ts';
import type { Judged } from './judged.ts';

/** Rankings by query, which contain ids of documents, best first. */
export type Rankings = ReadonlyMap<string, readonly string[]>;

export const ALGORITHMS: readonly Algorithm[] = ['tfidf', 'bm25', 'bm25f', 'pmisparse'];

/** Rankings by each algorithm of `/v1/fts`, or why there are none; queries are sent unchanged. */
export async function ranksOfQuire(folder: string, collections: readonly Judged[],
  limit: number): Promise<Map<string, Map<Algorithm, Rankings | string>>>
{
  const server = await startQuire(join(folder, 'relevance.db'));
  const client = clientOf(server.url);
  const byCollection = new Map<string, Map<Algorithm, Rankings | string>>();
  for (const { name, documents, queries } of collections) {
    for (let from = 0; from < documents.length; from += 200) {
      const batch = documents.slice(from, from + 200).map(({ id, title, text }) => ({
        key: id,
        lang: 'en',
        meta: title === '' ? {} : { title: [title] },
        contentMd: text,
      }));
      await client.post('/v1/add-batch', { collection: name, documents: batch });
    }
    const byAlgorithm = new Map<Algorithm, Rankings | string>();
    for (const algorithm of ALGORITHMS) {
      const rankings = new Map<string, string[]>();
      try {
        for (const { id, text } of queries) {
          const { results } = await client.post<Found>('/v1/fts', {
            collection: name,
            mode: 'simple',
            algorithm,
            query: text,
            limit,
            fields: ['key'],
          });
          rankings.set(id, results.map(({ document }) => document.key));
        }
        byAlgorithm.set(algorithm, rankings);
      } catch (error) {
        byAlgorithm.set(algorithm, (error as Error).message);
      }
    }
    byCollection.set(name, byAlgorithm);
  }
  client.close();
  await server.stop();
  return byCollection;
}
