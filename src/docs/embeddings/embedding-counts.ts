import { type Clock, unixSeconds } from '../../lib/clock.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Queries, Row, Sql } from '../../storage/index.ts';
import { COLLECTION_ID, expiredDocuments, filledCollections } from '../stored-collections.ts';

/** How much of a collection is embedded; expired documents do not count. */
export interface EmbeddingCounts {
  readonly name: string;
  readonly documents: number;
  /** Documents that are embedded, blank ones without vectors included. */
  readonly embedded: number;
  readonly chunks: number;
  /** Documents that the provider refused permanently. */
  readonly failed: number;
  /** The models that made its vectors; the model with the most documents comes first. */
  readonly models: readonly { readonly model: string; readonly variant: string; readonly documents: number }[];
}

interface ModelRow extends Row {
  readonly cid: number;
  readonly model_id: number;
  readonly documents: number;
  readonly chunks: number;
}

/**
 * Scans the index by collection once for each model, of which there are few: its order is that of the groups then,
 * while groups of both would sort all rows. The sign keeps SQLite from making an index of models for the statement.
 */
const EMBEDDED = `
  SELECT e.cid, m.id AS model_id, count(*) AS documents, sum(e.chunks) AS chunks
  FROM embedding_models m CROSS JOIN embeddings e WHERE +e.model_id = m.id GROUP BY m.id, e.cid`;
const EXPIRED_EMBEDDED = `
  SELECT e.cid, e.model_id, count(*) AS documents, sum(e.chunks) AS chunks
  FROM documents d JOIN embeddings e ON e.ord = d.ord WHERE d.expires_at <= ? GROUP BY e.cid, e.model_id`;
const FAILED = "SELECT cid, count(*) AS n FROM embedding_states WHERE state = 'failed' GROUP BY cid";
const MODELS = 'SELECT id, model, variant FROM embedding_models';

/**
 * Every collection that has documents, by name, except those of the system. Scans indexes outside of the event loop.
 */
export async function countEmbeddings({ background }: Pick<Sql, 'background'>,
  clock: Clock): Promise<EmbeddingCounts[]>
{
  const now = unixSeconds(clock);
  const [collections, expired, embedded, expiredEmbedded, failed, models] = await Promise.all([
    filledCollections(background),
    expiredDocuments(background, now),
    background.all<ModelRow>(EMBEDDED),
    background.all<ModelRow>(EXPIRED_EMBEDDED, [now]),
    countFailed(background),
    background.all<{ id: number; model: string; variant: string }>(MODELS),
  ]);
  const known = new Map(models.map(({ id, model, variant }) => [id, { model, variant }]));
  const gone = new Map(expiredEmbedded.map((row) => [`${row.cid} ${row.model_id}`, row]));
  return collections.filter(({ name }) => !isSystemCollection(name)).map(({ id, name, docs }) => {
    const rows = embedded.filter(({ cid }) => cid === id).map((row) =>
      without(row, gone.get(`${row.cid} ${row.model_id}`))
    ).filter(({ documents }) => documents > 0);
    return {
      name,
      documents: docs - (expired.get(id) ?? 0),
      embedded: sum(rows, ({ documents }) => documents),
      chunks: sum(rows, ({ chunks }) => chunks),
      failed: failed.get(id) ?? 0,
      models: rows.flatMap((
        { model_id: model, documents },
      ) => (known.has(model) ? [{ ...known.get(model)!, documents }] : [])).sort((a, b) => b.documents - a.documents),
    };
  });
}

/** Why documents of a collection failed, the latest first. */
export async function readFailures({ background }: Pick<Sql, 'background'>, collection: string,
  limit: number): Promise<string[]>
{
  const rows = await background.all<{ id: string; reason: string }>(
    `SELECT d.id, s.reason FROM embedding_states s JOIN documents d ON d.ord = s.ord
     WHERE s.state = 'failed' AND s.cid = ${COLLECTION_ID} ORDER BY s.seq DESC LIMIT ?`,
    [collection, limit],
  );
  return rows.map(({ id, reason }) => `${id}: ${reason}`);
}

async function countFailed(queries: Queries): Promise<Map<number, number>> {
  const rows = await queries.all<{ cid: number; n: number }>(FAILED);
  return new Map(rows.map(({ cid, n }) => [cid, n]));
}

function without(row: ModelRow, gone: ModelRow | undefined): Pick<ModelRow, 'model_id' | 'documents' | 'chunks'> {
  return {
    model_id: row.model_id,
    documents: row.documents - (gone?.documents ?? 0),
    chunks: row.chunks - (gone?.chunks ?? 0),
  };
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
