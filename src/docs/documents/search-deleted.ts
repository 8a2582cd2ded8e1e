import type { ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { Pace } from '../../lib/pace.ts';
import type { Context } from '../../operations/index.ts';
import type { Row, Sql } from '../../storage/index.ts';
import { type Projection, type Shown, shownDocument } from '../search/index.ts';
import { type CollectionRow } from '../stored-collections.ts';
import { queriesFor } from './collection-rows.ts';
import { stillKept } from './deleted-documents.ts';
import type { Deps } from './deps.ts';
import { type Meta, parseMeta, type ShownRow, toDocument } from './document-rows.ts';

/** The request, with all defaults filled in. */
export interface DeletedSearch {
  readonly filterMeta: Meta;
  readonly order: { readonly column: 'key' | 'added_at' | 'updated_at'; readonly direction: 'ASC' | 'DESC' };
  readonly limit: number;
  readonly offset: number;
  readonly projection: Projection;
  /** Unix seconds. */
  readonly now: number;
}

interface Heading extends Row {
  readonly ord: number;
  /** NULL if there is no filter. */
  readonly meta: string | null;
}

interface VersionRow extends ShownRow {
  readonly deleted_at: number;
  readonly body: Uint8Array | null;
}

/** The deleted version is the newest revision. */
const FROM = 'FROM deleted_documents n JOIN deleted_revisions r ON r.ord = n.ord AND r.ts = n.rev_ts';

/**
 * The deleted documents of a collection whose last metadata match, sorted and paged. Their metadata have no index, so a
 * filter reads the metadata of all of them.
 */
export async function searchDeleted({ sql, codec, deletedRetention }: Pick<Deps, 'sql' | 'codec' | 'deletedRetention'>,
  collection: CollectionRow, search: DeletedSearch,
  { signal, budget }: Pick<Context, 'signal' | 'budget'>
): Promise<{ total: number; documents: Shown<ProjectedDocument>[] }> {
  const { total, ords } = await pageOf(sql, collection, search, deletedRetention);
  const pace = new Pace();
  const documents: Shown<ProjectedDocument>[] = [];
  for (const ord of ords) {
    signal.throwIfAborted();
    const row = await sql.get<VersionRow>(
      `SELECT n.id, n.key, n.lang, n.added_at, r.updated_at, n.deleted_at, n.expires_at, r.meta, ${
        search.projection.body ? 'r.body' : 'NULL AS body'
      } ${FROM} WHERE n.ord = ?`,
      [ord],
    );
    if (row === undefined) continue; // it was removed after the page was chosen
    const content = row.body === null ? '' : await codec.decodeAsync(row.body);
    const { result, ...bytes } = shownDocument(toDocument(row, content), search.projection, Buffer.byteLength(content));
    if (!budget.take(bytes.size)) break;
    documents.push({ result: { ...result, deletedAt: row.deleted_at }, ...bytes });
    await pace.rest();
  }
  return { total, documents };
}

async function pageOf(sql: Sql, collection: CollectionRow, { filterMeta, order, limit, offset, now }: DeletedSearch,
  retention: number): Promise<{ total: number; ords: readonly number[] }>
{
  const kept = stillKept(now, retention);
  const where = `WHERE n.cid = ? AND ${kept.sql} AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = n.id)`;
  const params = [collection.id, ...kept.params];
  const sorted = `${FROM} ${where} ORDER BY ${
    order.column === 'updated_at' ? 'r' : 'n'
  }.${order.column} ${order.direction}, n.id ASC`;
  const filter = Object.entries(filterMeta);
  if (filter.length === 0) {
    const { total } =
      (await queriesFor(sql, collection).get<{ total: number }>(
        `SELECT count(*) AS total FROM deleted_documents n ${where}`,
        params,
      ))!;
    const rows = await queriesFor(sql, collection).all<Heading>(`SELECT n.ord, NULL AS meta ${sorted} LIMIT ? OFFSET ?`,
      [...params, limit, offset]);
    return { total, ords: rows.map(({ ord }) => ord) };
  }
  const matching: number[] = [];
  const pace = new Pace();
  for await (const rows of sql.stream<Heading>(`SELECT n.ord, r.meta ${sorted}`, params)) {
    for (const { ord, meta } of rows) {
      if (matches(parseMeta(meta!), filter)) matching.push(ord);
      await pace.rest();
    }
  }
  return { total: matching.length, ords: matching.slice(offset, offset + limit) };
}

/** Values of one key are alternatives, and every key must match. */
function matches(meta: Meta, filter: readonly (readonly [string, readonly string[]])[]): boolean {
  return filter.every(([key, values]) =>
    Object.hasOwn(meta, key) && values.some((value) => meta[key]!.includes(value))
  );
}
