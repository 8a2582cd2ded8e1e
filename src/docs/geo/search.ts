import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { OrdSet } from '../../lib/ord-set.ts';
import { spend } from '../../lib/pace.ts';
import { roundMeters } from '../../lib/rounded.ts';
import { type AnswerBounds, AnswerBudget, type InputOf, type OutputOf, truncationOf } from '../../operations/index.ts';
import type { Columns } from '../../search/columns/index.ts';
import type { Filter } from '../../search/filter/index.ts';
import { boxBetween, type NearDocument, type PolygonRings, positionsOf, shapeOf } from '../../search/geo/index.ts';
import { type ColumnsView, readyColumns, selectDocuments } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { circleOf, expressionOf, limitOf, type PresentedDocument, presentInOrder, projectionOf, readConsistently,
  type RequestFilter } from '../search/index.ts';
import type { GeoIndex, GeoView } from './geo-view.ts';

export interface GeoSearchDeps extends Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'> {
  readonly view: Pick<GeoView, 'indexOf' | 'caughtUp' | 'position' | 'isLatest'>;
  readonly columns: Pick<ColumnsView, 'indexOf' | 'caughtUp' | 'position'>;
}

type NearInput = InputOf<Operations, 'searchGeo'>;
type BoxInput = InputOf<Operations, 'searchGeoWithin'>;
type ShapeInput = InputOf<Operations, 'searchGeoPolygon'>;
type Results = OutputOf<Operations, 'searchGeoWithin'>['results'];

/** The fields that all three requests share. */
interface AreaInput extends RequestFilter {
  readonly collection: string;
  readonly includeContent: boolean;
}

/** The documents that a request concerns, and the index that finds them; from one state. */
interface Ground {
  readonly index: GeoIndex;
  readonly columns: Columns;
  /** Undefined for all. */
  readonly documents: OrdSet | undefined;
}

/** What an answer has for its documents, in its order. */
interface Page {
  readonly documents: readonly PresentedDocument[];
  readonly isTruncated: boolean;
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
  const topK = limitOf(input) ?? DEFAULT_TOP_K;
  let near = new Map<number, NearDocument>();
  const { documents, isTruncated } = await look(deps, input, bounds, async function*({ index, documents: among }) {
    const found =
      (await index.places.near(circleOf(input), { algorithm, distance, documents: among, limit: offset + topK },
        bounds.signal)).slice(offset);
    near = new Map(found.map((one) => [one.ord, one]));
    yield [...near.keys()];
  });
  const results = documents.map(({ ord, result }, i) => ({
    document: result,
    distanceMeters: roundMeters(near.get(ord)!.distanceMeters),
    rank: offset + i + 1,
  }));
  return {
    results,
    total: results.length,
    radiusMeters,
    algorithm,
    ...truncationOf(isTruncated, offset + results.length),
  };
}

/** `POST /v1/geo-within`: a box, results by id. Throws `invalid_argument` for a box whose south is above its north. */
export async function searchGeoWithin(deps: GeoSearchDeps, input: BoxInput,
  bounds: AnswerBounds): Promise<OutputOf<Operations, 'searchGeoWithin'>>
{
  const { minLat, maxLat } = input;
  if (minLat > maxLat)
    throw new ServiceError('invalid_argument', `minLat must not be above maxLat, got ${minLat} and ${maxLat}`);
  return byId(deps, input, bounds,
    async ({ index, documents }) => index.places.within(boxBetween(input), { documents }, bounds.signal));
}

/** `POST /v1/geo-polygon`: a polygon, results by id. */
export async function searchGeoPolygon(deps: GeoSearchDeps, input: ShapeInput,
  bounds: AnswerBounds): Promise<OutputOf<Operations, 'searchGeoPolygon'>>
{
  const { polygon, multiPolygon } = input;
  const polygons: readonly PolygonRings[] = polygon === undefined ? multiPolygon!.coordinates : [polygon.coordinates];
  requireFewPositions(polygons);
  const shape = shapeOf(polygons);
  const { algorithm, ...answer } = await byId(deps, input, bounds,
    ({ index, documents }) => index.places.inside(shape, { documents }, bounds.signal));
  return { ...answer, shape: polygon === undefined ? 'multiPolygon' : 'polygon', algorithm };
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

/** Documents of an area in the order of their ids, which is also the order of keys and languages. */
async function byId(deps: GeoSearchDeps, input: AreaInput & Pick<BoxInput, 'offset' | 'limit'>, bounds: AnswerBounds,
  find: (ground: Ground) => Promise<Uint32Array>
): Promise<Omit<OutputOf<Operations, 'searchGeoWithin'>, 'algorithm'> & { algorithm: 'rtree' }> {
  const { offset, limit } = input;
  const { documents, isTruncated } = await look(deps, input, bounds, async function*(ground) {
    const found = await find(ground);
    // The order of all names is only needed where many documents are sorted.
    const ready = found.length > FEW ? await readyColumns(deps.columns, input.collection, { keys: [] }) : undefined;
    yield* inPages(ready?.columns ?? ground.columns, OrdSet.of(found), offset, limit ?? found.length);
  });
  const results: Results = documents.map(({ result }, i) => ({ document: result, rank: offset + i + 1 }));
  return { results, total: results.length, algorithm: 'rtree', ...truncationOf(isTruncated, offset + results.length) };
}

/**
 * Some documents in the order of their ids, from one on: a page at a time, because a response may end before the last
 * one.
 */
function* inPages(columns: Columns, documents: OrdSet, offset: number, count: number): Generator<readonly number[]> {
  for (let left = count; left > 0; left -= PAGE) {
    const page = columns.sort(documents, { keys: [], offset, count: Math.min(left, PAGE) }).map(({ ord }) => ord);
    spend(page.length * SORTED);
    yield page;
    if (page.length < PAGE) return;
    // The next page then begins at the same place, also if documents have gone meanwhile.
    for (const ord of page) documents.delete(ord);
  }
}

/** Finds documents and reads them; all of them again if one has changed meanwhile. */
async function look(deps: GeoSearchDeps, input: AreaInput, { signal, budget }: AnswerBounds,
  find: (ground: Ground) => AsyncIterable<readonly number[]>): Promise<Page>
{
  const filter = expressionOf(input);
  const now = unixSeconds(deps.clock);
  const projection = projectionOf(undefined, input.includeContent);
  const sources = {
    sql: deps.sql,
    views: [deps.view, deps.columns],
    isLatest: (lsn: number) => deps.view.isLatest(lsn),
    isWhole: true,
    signal,
  };
  let documents: PresentedDocument[] = [];
  let own = budget;
  await readConsistently(sources, async ({ changed }) => {
    const ground = await groundOf(deps, input.collection, filter, now);
    const ords: number[] = [];
    documents = [];
    own = new AnswerBudget(budget.left);
    for await (const page of ground === undefined ? [] : find(ground)) {
      ords.push(...page);
      documents.push(...await presentInOrder(deps, page, { filter, now, projection }, { signal, budget: own }));
      if (own.isSpent) break;
    }
    return changed(ords);
  });
  budget.spend(budget.left - own.left);
  if (own.isSpent) budget.end();
  return { documents, isTruncated: own.isSpent };
}

/**
 * Undefined for a collection without documents. Nothing is awaited between columns and places. Throws `IndexLoading`.
 */
async function groundOf({ view, columns: columnsView }: GeoSearchDeps, collection: string, filter: Filter | undefined,
  now: number): Promise<Ground | undefined>
{
  const selected = await selectDocuments(columnsView, collection, { filter, now });
  const index = view.indexOf(collection);
  return selected && index && { index, columns: selected.columns, documents: selected.documents };
}
