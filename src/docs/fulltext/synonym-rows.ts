import type { Queries, Transaction } from '../../storage/index.ts';

/** Every synonym with its term, by collection, in the order in which they were added. */
export function readAllSynonyms(queries: Queries): Promise<{ collection: string; term: string; synonym: string }[]> {
  return queries.all('SELECT collection, term, synonym FROM synonyms ORDER BY collection, id');
}

/** The synonyms of one term, in the order in which they were added. */
export async function readSynonyms(queries: Queries, collection: string, term: string): Promise<string[]> {
  const rows = await queries.all<{ synonym: string }>(
    'SELECT synonym FROM synonyms WHERE collection = ? AND term = ? ORDER BY id',
    [collection, term],
  );
  return rows.map(({ synonym }) => synonym);
}

/** Number of synonyms of all terms of a collection. */
export async function countSynonyms(queries: Queries, collection: string): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM synonyms WHERE collection = ?', [collection]))!.n;
}

export async function insertSynonyms(tx: Transaction, collection: string, term: string,
  synonyms: readonly string[]): Promise<void>
{
  await tx.runMany('INSERT INTO synonyms(collection, term, synonym) VALUES (?, ?, ?)',
    synonyms.map((synonym) => [collection, term, synonym]));
}

/** Returns whether there was one. */
export async function removeSynonyms(tx: Transaction, collection: string, term: string): Promise<boolean> {
  return (await tx.run('DELETE FROM synonyms WHERE collection = ? AND term = ?', [collection, term])).changes > 0;
}
