import { getMetrics, getStats } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { CollectionStats } from '../../../generated/docs/sdk/types.gen.ts';
import { ask, RequestError } from '../shared/ask.ts';
import { readExposition } from '../shared/exposition.ts';

/** A collection; values that only administrators may see are absent for others. */
export type KnownCollection = Pick<CollectionStats, 'name' | 'documentCount'> & Partial<CollectionStats>;

/**
 * The collections that the caller may read, by name. Statistics are for administrators; for other callers the metrics
 * are used, which contain each caller's own collections. If metrics are off, the list is empty, and collections are
 * opened by entering their names.
 */
export async function readCollections(signal?: AbortSignal): Promise<readonly KnownCollection[]> {
  const options = signal === undefined ? {} : { signal };
  try {
    return (await ask(getStats(options))).collections;
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 403) throw error;
  }
  const { data } = await getMetrics({ ...options, parseAs: 'text' });
  const samples = readExposition(String(data ?? '')).filter(({ name }) => name === 'svc_documents_total');
  return samples.map(({ labels, value }) => ({ name: labels['collection'] ?? '', documentCount: value })).sort((a,
    b) => (a.name < b.name ? -1 : 1)
  );
}
