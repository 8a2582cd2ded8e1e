import type { Operations } from '../../../generated/docs/operations.ts';
import type { Context, Handlers, OutputOf } from '../../operations/index.ts';
import { encodeGeohash, geohashCell } from '../../search/geo/index.ts';
import { gatheredEach } from '../../search/parts/index.ts';
import type { Collections } from '../collections/index.ts';
import type { ColumnsView } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { filledCollections } from '../stored-collections.ts';
import { createGeoView, type GeoView } from './geo-view.ts';
import { countPostcodes } from './postcodes.ts';
import { reindexGeo, reloadPostcodes } from './reload-postcodes.ts';
import { type GeoSearchDeps, searchGeo, searchGeoPolygon, searchGeoWithin } from './search.ts';

/** Geo search (contract section 4, "Geo search"). */
export interface Geo {
  readonly handlers: Required<
    Pick<Handlers<Operations>,
      'searchGeo' | 'searchGeoWithin' | 'searchGeoPolygon' | 'reindexGeo' | 'getGeoStats' | 'encodeGeohash'
        | 'decodeGeohash'>
  >;
  readonly view: GeoView;
  readonly views: readonly GeoView[];
  /** Reloads postcode files that have changed since they were loaded, without waiting. Not for read-only servers. */
  work(): void;
  /** Resolves when postcode files are reloaded; for tests. */
  settled(): Promise<void>;
  /** Resolves when the indexes that another process has asked to rebuild are rebuilt. */
  reload(): Promise<void>;
  /** Stops reloading; harmless before `work` and when repeated. */
  stop(): Promise<void>;
}

export interface GeoAreas {
  readonly collections: Pick<Collections, 'configOf'>;
  readonly columns: Pick<ColumnsView, 'indexOf' | 'caughtUp' | 'position'>;
}

const DEFAULT_DATA_DIR = 'data';

export function createGeo(env: DocsEnvironment, { collections, columns }: GeoAreas): Geo {
  const { sql, log, settings } = env;
  const view = createGeoView(env, { collections });
  const deps: GeoSearchDeps = { ...env, view, columns };
  const dataDir = settings.geoDataDir ?? DEFAULT_DATA_DIR;
  const stopping = new AbortController();
  let reloading: Promise<void> | undefined;
  return {
    view,
    views: [view],
    work() {
      reloading ??= reloadPostcodes({ sql, log, view, dataDir }, stopping.signal);
    },
    settled: async () => reloading,
    async reload() {
      await view.caughtUp();
      await view.settled();
    },
    async stop() {
      stopping.abort();
      await reloading;
    },
    handlers: {
      searchGeo: (input, context) => searchGeo(deps, input, context),
      searchGeoWithin: (input, context) => searchGeoWithin(deps, input, context),
      searchGeoPolygon: (input, context) => searchGeoPolygon(deps, input, context),
      reindexGeo: (input, context) => reindexGeo({ sql, view, dataDir }, input, context),
      getGeoStats: (_input, context) => readGeoStats({ sql, view }, context),
      encodeGeohash: async ({ lat, lng, precision }) => ({
        geohash: encodeGeohash({ lat, lng }, precision),
        precision,
      }),
      decodeGeohash: async ({ geohash }) => ({ geohash: geohash.toLowerCase(), ...geohashCell(geohash)! }),
    },
  };
}

type Stats = OutputOf<Operations, 'getGeoStats'>;

interface StatsDeps extends Pick<DocsEnvironment, 'sql'> {
  readonly view: Pick<GeoView, 'indexOf' | 'intoMemory' | 'isReady'>;
}

/** `GET /v1/geo-stats`, for the collections that the caller may read. While the index loads, it lists no collection. */
async function readGeoStats({ sql, view }: StatsDeps,
  { identity, signal }: Pick<Context, 'identity' | 'signal'>): Promise<Stats>
{
  const postcodeDatasets = await countPostcodes(sql);
  const names = (await filledCollections(sql)).map(({ name }) => name).filter((name) => identity.may('read', name));
  if (view.isReady) await view.intoMemory(names, signal);
  const { isReady: ready } = view;
  const collections: Stats['collections'] = {};
  const found = await gatheredEach(ready ? names : [], (name) => {
    const places = view.indexOf(name)?.places;
    return places && { name, points: places.documents, lastRebuildUnix: places.builtAt };
  });
  for (const one of found) {
    if (one === undefined || one.points === 0) continue;
    const { name, ...stats } = one;
    collections[name] = stats;
  }
  return { collections, postcodeDatasets, ready };
}
