import { ServiceError } from '../../errors/index.ts';
import type { Queries, Transaction } from '../../storage/index.ts';
import type { VectorFields } from './vector-fields.ts';

/** Begins the names of settings that list collections whose spaces have changed and are not filled yet. */
const PREFIX = 'unfilled:';
const AFTER = 'unfilled;';

/**
 * Stores that a collection is to be filled, in the transaction that changes its spaces, so that it survives a crash.
 */
export async function markUnfilled(tx: Transaction, collection: string): Promise<void> {
  await tx.run(
    "INSERT INTO settings(name, value) VALUES (?, '1') ON CONFLICT(name) DO UPDATE SET value = settings.value || '1'",
    [PREFIX + collection],
  );
}

/** A collection whose spaces have changed; `mark` differs after each change. */
export interface Unfilled {
  readonly collection: string;
  readonly mark: string;
}

export async function readUnfilled(queries: Queries): Promise<Unfilled[]> {
  const rows = await queries.all<{ name: string; value: string }>(
    'SELECT name, value FROM settings WHERE name >= ? AND name < ? ORDER BY name',
    [PREFIX, AFTER],
  );
  return rows.map(({ name, value }) => ({ collection: name.slice(PREFIX.length), mark: value }));
}

/** Records that a collection is filled, unless its spaces have changed meanwhile. */
export async function endFilling(tx: Transaction, { collection, mark }: Unfilled): Promise<void> {
  await tx.run('DELETE FROM settings WHERE name = ? AND value = ?', [PREFIX + collection, mark]);
}

/** Throws `invalid_argument` for a changed field whose embedding configuration does not exist or makes no vectors. */
export async function requireProviders(queries: Queries, before: VectorFields = {},
  after: VectorFields = {}): Promise<void>
{
  for (const [name, { embedding }] of Object.entries(after)) {
    if (embedding === undefined || embedding === before[name]?.embedding) continue;
    const found = await queries.get<{ provider: string }>('SELECT provider FROM embedding_configs WHERE id = ?', [
      embedding,
    ]);
    if (found !== undefined && found.provider !== 'none') continue;
    const fault = found === undefined ? 'does not exist' : 'has the provider none';
    throw new ServiceError('invalid_argument',
      `vectors.${name}.embedding must be the id of an embedding configuration (GET /v1/embedding-configs); ` +
        `${embedding} ${fault}`);
  }
}
