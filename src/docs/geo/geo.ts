import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import { encodeGeohash, geohashCell } from '../../search/geo/index.ts';
import type { Collections } from '../collections/index.ts';
import type { ColumnsView } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { createGeoView, type GeoView } from './geo-view.ts';
import { allCollections, reindexGeo } from './reindex.ts';
import { reloadPostcodes } from './reload-postcodes.ts';
import { searchGeo, searchGeoPolygon, searchGeoWithin, type GeoSearchDeps } from './search.ts';
import { readGeoStats } from './stats.ts';

/** Geo search (contract section 4, "Geo search"). */
export interface Geo {
  readonly handlers: Required<Pick<Handlers<Operations>, 'searchGeo' | 'searchGeoWithin' | 'searchGeoPolygon' | 'reindexGeo' | 'getGeoStats' | 'encodeGeohash' | 'decodeGeohash'>>;
  readonly view: GeoView;
  /**
   * Reloads postcode files that have changed since they were loaded; resolves when that is done, which callers need not await. Not for
   * servers that only read.
   */
  start(): Promise<void>;
  /** Rebuilds the indexes when another process has announced new postcodes. */
  follow(): Promise<void>;
  /** Stops rebuilding; harmless before `start` and when repeated. */
  stop(): Promise<void>;
}

export interface GeoAreas {
  readonly collections: Pick<Collections, 'configOf'>;
  readonly columns: Pick<ColumnsView, 'indexOf' | 'caughtUp' | 'position'>;
}

const DEFAULT_DATA_DIR = 'data';

export function createGeo(env: DocsEnvironment, { collections, columns }: GeoAreas): Geo {
  const { sql, feed, log, settings } = env;
  const view = createGeoView(env, { collections });
  const deps: GeoSearchDeps = { ...env, view, columns };
  const dataDir = settings.geoDataDir ?? DEFAULT_DATA_DIR;
  const stopping = new AbortController();
  // Postcodes are not in the feed, but other processes must rebuild their own indexes.
  const announce = () => sql.transaction((tx) => feed.append(tx, [{ kind: 'geo.reindex', collection: '' }]));
  let reloading: Promise<void> | undefined;
  return {
    view,
    start: () => (reloading ??= reloadPostcodes({ sql, log, view, dataDir, announce }, stopping.signal)),
    async follow() {
      for (const collection of await allCollections(sql)) await view.reindex(collection);
    },
    async stop() {
      stopping.abort();
      await reloading;
    },
    handlers: {
      searchGeo: (input, context) => searchGeo(deps, input, context),
      searchGeoWithin: (input, context) => searchGeoWithin(deps, input, context),
      searchGeoPolygon: (input, context) => searchGeoPolygon(deps, input, context),
      async reindexGeo(input, { signal }) {
        const answer = await reindexGeo({ sql, view, dataDir }, input, signal);
        await announce();
        return answer;
      },
      getGeoStats: (_input, { identity }) => readGeoStats({ sql, view }, identity),
      encodeGeohash: async ({ lat, lng, precision }) => ({ geohash: encodeGeohash({ lat, lng }, precision), precision }),
      decodeGeohash: async ({ geohash }) => ({ geohash: geohash.toLowerCase(), ...geohashCell(geohash)! }),
    },
  };
}
