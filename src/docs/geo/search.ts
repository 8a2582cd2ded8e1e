import type { Operations } from '../../../generated/docs/operations.ts';
import type { ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { OrdSet } from '../../lib/ord-set.ts';
import { spend } from '../../lib/pace.ts';
import { roundMeters } from '../../lib/rounded.ts';
import type { AnswerBounds, InputOf, OutputOf } from '../../operations/index.ts';
import type { ReadableColumns } from '../../search/columns/index.ts';
import { boxBetween, type PolygonRings, positionsOf, type ReadablePlaces, shapeOf } from '../../search/geo/index.ts';
import { gathered } from '../../search/parts/index.ts';
import { type ColumnsView, readyColumns } from '../columns/index.ts';
import { circleOf, expressionOf, limitOf, type ListDeps, listDocuments, type Listed, type ListSearch, type PageEnd,
  type RequestFilter, wantedProjection } from '../search/index.ts';
import type { GeoView } from './geo-view.ts';

export interface GeoSearchDeps extends ListDeps {
  readonly view: Pick<GeoView, 'indexOf' | 'caughtUp' | 'position' | 'isLatest'>;
  readonly columns: Pick<ColumnsView, 'indexOf' | 'caughtUp' | 'position'>;
}

type NearInput = InputOf<Operations, 'searchGeo'>;
type BoxInput = InputOf<Operations, 'searchGeoWithin'>;
type ShapeInput = InputOf<Operations, 'searchGeoPolygon'>;

/** The fields that all three requests share. */
interface AreaInput extends RequestFilter {
  readonly collection: string;
  readonly offset: number;
  readonly fields?: readonly string[] | undefined;
  readonly includeContent: boolean;
}

const DEFAULT_TOP_K = 10;
/** Documents that are sorted at once, and units of work (see `spend`) of each. */
const PAGE = 1024;
const SORTED = 50;
/** Up to this many documents are sorted without an order of all names. */
const FEW = 64;

/** `POST /v1/geo-search` (contract section 4, "Geo search"; decisions section 4.6). */
export async function searchGeo(deps: GeoSearchDeps, input: NearInput,
  bounds: AnswerBounds): Promise<OutputOf<Operations, 'searchGeo'>>
{
  const { radiusMeters, algorithm, distance, offset } = input;
  const limit = offset + (limitOf(input) ?? DEFAULT_TOP_K);
  const { results, end } = await listPlaces(deps, input, bounds, {
    async *pagesOf({ places, documents }) {
      const found = await places.near(circleOf(input), { algorithm, distance, documents, limit }, bounds.signal);
      yield found.slice(offset);
    },
    show: (document, { distanceMeters }, rank) => ({ document, distanceMeters: roundMeters(distanceMeters), rank }),
  });
  return { results, total: results.length, radiusMeters, algorithm, ...end };
}

/** `POST /v1/geo-within`: a box, results by id. Throws `invalid_argument` for a box whose south is above its north. */
export async function searchGeoWithin(deps: GeoSearchDeps, input: BoxInput,
  bounds: AnswerBounds): Promise<OutputOf<Operations, 'searchGeoWithin'>>
{
  const { minLat, maxLat } = input;
  if (minLat > maxLat)
    throw new ServiceError('invalid_argument', `minLat must not be above maxLat, got ${minLat} and ${maxLat}`);
  const box = boxBetween(input);
  return byId(deps, input, bounds, async ({ places, documents }) => places.within(box, { documents }, bounds.signal));
}

/** `POST /v1/geo-polygon`: a polygon, results by id. */
export async function searchGeoPolygon(deps: GeoSearchDeps, input: ShapeInput,
  bounds: AnswerBounds): Promise<OutputOf<Operations, 'searchGeoPolygon'>>
{
  const { polygon, multiPolygon } = input;
  const polygons: readonly PolygonRings[] = polygon === undefined ? multiPolygon!.coordinates : [polygon.coordinates];
  requireFewPositions(polygons);
  const shape = shapeOf(polygons);
  const answer = await byId(deps, input, bounds,
    ({ places, documents }) => places.inside(shape, { documents }, bounds.signal));
  return { ...answer, shape: polygon === undefined ? 'multiPolygon' : 'polygon' };
}

/** Positions of all rings of a shape, as in the specification: each may be compared with each place. */
const MOST_POSITIONS = 100_000;

function requireFewPositions(polygons: readonly PolygonRings[]): void {
  const positions = positionsOf(polygons);
  if (positions > MOST_POSITIONS) {
    throw new ServiceError('invalid_argument',
      `a shape may have up to ${MOST_POSITIONS} positions in all its rings, got ${positions}; send a simpler shape, ` +
        'or its polygons one by one');
  }
}

/** The documents that a request concerns, and the index that finds them; from one state until something is awaited. */
interface PlacesGround {
  readonly places: ReadablePlaces;
  readonly columns: ReadableColumns;
  /** Undefined for all. */
  readonly documents: OrdSet | undefined;
}

/** Documents of an area in the order of their ids, which is also the order of keys and languages. */
async function byId(deps: GeoSearchDeps, input: AreaInput & Pick<BoxInput, 'limit'>, bounds: AnswerBounds,
  find: (ground: PlacesGround) => Promise<Uint32Array>
): Promise<Omit<OutputOf<Operations, 'searchGeoWithin'>, 'algorithm'> & { algorithm: 'rtree' }> {
  const { collection, offset, limit } = input;
  const { results, end } = await listPlaces(deps, input, bounds, {
    async *pagesOf(ground) {
      const found = await find(ground);
      // The order of all names is only needed where many documents are sorted.
      const ready = found.length > FEW ? await readyColumns(deps.columns, collection, { keys: [] }) : undefined;
      yield* inPages(ready?.columns ?? ground.columns, OrdSet.of(found), offset, limit ?? found.length);
    },
    show: (document, _, rank) => ({ document, rank }),
  });
  return { results, total: results.length, algorithm: 'rtree', ...end };
}

/** Some documents in the order of their ids, from one on. */
async function* inPages(columns: ReadableColumns, documents: OrdSet, offset: number,
  count: number): AsyncGenerator<readonly Listed[]>
{
  for (let left = count; left > 0; left -= PAGE) {
    const sorting = { keys: [], offset, count: Math.min(left, PAGE) };
    const page = await gathered(() => columns.sort(documents, sorting));
    spend(page.length * SORTED);
    yield page;
    if (page.length < PAGE) return;
    // The next page then begins at the same place, also if documents have gone meanwhile.
    for (const { ord } of page) documents.delete(ord);
  }
}

interface PlacesSearch<L extends Listed, R> {
  pagesOf(ground: PlacesGround): AsyncIterable<readonly L[]>;
  show(document: ProjectedDocument, listed: L, rank: number): R;
}

/** Nothing is awaited between columns and places. Throws `IndexLoading`. */
function listPlaces<L extends Listed, R>(deps: GeoSearchDeps, input: AreaInput, bounds: AnswerBounds,
  { pagesOf, show }: PlacesSearch<L, R>): Promise<PageEnd<R>>
{
  const { view, columns } = deps;
  const { collection, offset } = input;
  const search: ListSearch<L, R> = {
    request: {
      collection,
      filter: expressionOf(input),
      projection: wantedProjection(input),
      offset,
      tokens: 0,
      order: undefined,
    },
    views: { views: [view, columns], isLatest: (lsn) => view.isLatest(lsn) },
    pagesOf(ground) {
      const index = view.indexOf(collection);
      return index === undefined ? [] : pagesOf({ ...ground, places: index.places });
    },
    show,
  };
  return listDocuments(deps, search, bounds);
}
