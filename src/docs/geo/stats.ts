import type { Operations } from '../../../generated/docs/operations.ts';
import type { Identity, OutputOf } from '../../operations/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { filledCollections } from '../stored-collections.ts';
import type { GeoView } from './geo-view.ts';
import { countPostcodes } from './postcodes.ts';

type Stats = OutputOf<Operations, 'getGeoStats'>;

export interface StatsDeps extends Pick<DocsEnvironment, 'sql'> {
  readonly view: Pick<GeoView, 'indexOf' | 'isReady'>;
}

/** `GET /v1/geo-stats`, for the collections that the caller may read. While the index loads, it lists no collection. */
export async function readGeoStats({ sql, view }: StatsDeps, identity: Identity): Promise<Stats> {
  const postcodeDatasets = await countPostcodes(sql);
  const rows = await filledCollections(sql);
  const { isReady: ready } = view;
  const collections: Stats['collections'] = {};
  for (const { name } of ready ? rows : []) {
    const places = identity.may('read', name) ? view.indexOf(name)?.places : undefined;
    if (places !== undefined && places.documents > 0)
      collections[name] = { points: places.documents, lastRebuildUnix: places.builtAt };
  }
  return { collections, postcodeDatasets, ready };
}
