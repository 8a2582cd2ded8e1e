import { Pace } from '../../lib/pace.ts';
import type { Queries, Transaction } from '../../storage/index.ts';
import type { Difference } from './stop-list.ts';

/** Rows written by one statement, so that the event loop can run between statements. */
const STEP = 500;

interface StopWordRow {
  readonly [column: string]: string | number;
  readonly collection: string;
  readonly word: string;
  readonly searched: number;
}

/** All differences of all collections. */
export async function readAllDifferences(queries: Queries): Promise<Map<string, Map<string, Difference>>> {
  const rows = await queries.all<StopWordRow>('SELECT collection, word, searched FROM stop_words');
  return new Map(
    [...Map.groupBy(rows, ({ collection }) => collection)].map(([collection, own]) => [collection, toDifferences(own)]),
  );
}

export async function readDifferences(queries: Queries, collection: string): Promise<Map<string, Difference>> {
  return toDifferences(
    await queries.all<StopWordRow>('SELECT collection, word, searched FROM stop_words WHERE collection = ?', [
      collection,
    ]),
  );
}

/** Stores differences; `undefined` removes one. */
export async function writeDifferences(tx: Transaction, collection: string,
  changes: ReadonlyMap<string, Difference | undefined>): Promise<void>
{
  const pace = new Pace();
  const entries = [...changes];
  for (let i = 0; i < entries.length; i += STEP) {
    const step = entries.slice(i, i + STEP);
    const stored = step.filter(([, difference]) => difference !== undefined);
    await tx.runMany('DELETE FROM stop_words WHERE collection = ? AND word = ?',
      step.map(([word]) => [collection, word]));
    await tx.runMany('INSERT INTO stop_words(collection, word, searched) VALUES (?, ?, ?)',
      stored.map(([word, difference]) => [collection, word, Number(difference === 'searched')]));
    await pace.rest();
  }
}

function toDifferences(rows: readonly StopWordRow[]): Map<string, Difference> {
  return new Map(rows.map(({ word, searched }) => [word, searched === 1 ? 'searched' : 'own']));
}
