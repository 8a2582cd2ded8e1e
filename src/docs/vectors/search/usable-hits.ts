import { unixSeconds } from '../../../lib/clock.ts';
import type { Embeddings } from '../../embeddings/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { COLLECTION_ID } from '../../stored-collections.ts';

export interface UsableDeps extends Pick<DocsEnvironment, 'clock'> {
  readonly bodies: Embeddings['bodies'];
}

/**
 * The documents that a search must not return: those that were deleted or have expired, which the index learns a little
 * later, and with `quotable` those that were changed since they were embedded.
 */
export async function unusableOrds({ bodies, clock }: UsableDeps, ords: readonly number[],
  quotable: boolean): Promise<ReadonlySet<number>>
{
  const unusable = new Set<number>();
  const now = unixSeconds(clock);
  await bodies.each(ords, (ord, state) => {
    const isUsable = state !== undefined && (state.expiresAt === null || state.expiresAt > now) &&
      (state.isFresh || !quotable);
    if (!isUsable) unusable.add(ord);
  });
  return unusable;
}

/**
 * Every document of a collection that was changed since it was embedded. Reads all of them, so call it only if there
 * are such documents.
 */
export async function outdatedOrds({ sql }: Pick<DocsEnvironment, 'sql'>, collection: string): Promise<number[]> {
  const rows = await sql.background.all<{ ord: number }>(
    `SELECT e.ord FROM embeddings e JOIN documents d ON d.ord = e.ord
     WHERE e.cid = ${COLLECTION_ID} AND NOT (d.crc = e.crc AND d.bytes = e.bytes)`,
    [collection.toLowerCase()],
  );
  return rows.map(({ ord }) => ord);
}
