import { unixSeconds } from '../../../lib/clock.ts';
import type { Row } from '../../../storage/index.ts';
import { Pace } from '../../../lib/pace.ts';
import { inList } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { COLLECTION_ID } from '../../stored-collections.ts';

type Environment = Pick<DocsEnvironment, 'sql' | 'clock'>;

interface StatusRow extends Row {
  readonly ord: number;
  /** 1 when the vectors are of the present body. */
  readonly fresh: number;
}

/** Maximum number of documents that one statement reads. */
const STEP = 256;

const IS_FRESH = 'd.crc = e.crc AND d.bytes = e.bytes';

/**
 * The documents that a search must not return: those that were deleted or have expired, which the index learns a little later, and with
 * `quotable` those that were changed since they were embedded.
 */
export async function unusableOrds({ sql, clock }: Environment, ords: Iterable<number>, quotable: boolean): Promise<Set<number>> {
  const unusable = new Set(ords);
  const all = [...unusable];
  const now = unixSeconds(clock);
  const pace = new Pace();
  for (let i = 0; i < all.length; i += STEP) {
    const { marks, params } = inList(all.slice(i, i + STEP));
    const rows = await sql.all<StatusRow>(
      `SELECT d.ord, CASE WHEN ${IS_FRESH} THEN 1 ELSE 0 END AS fresh FROM documents d LEFT JOIN embeddings e ON e.ord = d.ord
       WHERE d.ord IN (${marks}) AND (d.expires_at IS NULL OR d.expires_at > ?)`, [...params, now],
    );
    for (const { ord, fresh } of rows) if (fresh !== 0 || !quotable) unusable.delete(ord);
    await pace.rest();
  }
  return unusable;
}

/** Every document of a collection that was changed since it was embedded. Reads all of them, so call it only if there are such documents. */
export async function outdatedOrds({ sql }: Pick<Environment, 'sql'>, collection: string): Promise<number[]> {
  const rows = await sql.background.all<{ ord: number }>(
    `SELECT e.ord FROM embeddings e JOIN documents d ON d.ord = e.ord
     WHERE e.cid = ${COLLECTION_ID} AND NOT (${IS_FRESH})`, [collection.toLowerCase()],
  );
  return rows.map(({ ord }) => ord);
}
