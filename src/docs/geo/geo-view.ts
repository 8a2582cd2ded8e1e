import { unixSeconds } from '../../lib/clock.ts';
import { OrdSet } from '../../lib/ord-set.ts';
import type { ColumnDocument } from '../../search/columns/index.ts';
import { answerPlaces, type Circle, joinPlaces, PlaceIndex, type PlacesPart, type Point, pointOf, type ReadablePlaces,
  RemotePlaces } from '../../search/geo/index.ts';
import type { PartLink } from '../../search/parts/index.ts';
import type { Change } from '../../storage/index.ts';
import type { Collections } from '../collections/index.ts';
import { allDocuments, documentsOf } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { filledCollections } from '../stored-collections.ts';
import { CollectionView, type Effect, type Entry, holdsOf, type ViewIndex, type ViewKind,
  viewOptions } from '../view/index.ts';
import { lookUpPostcodes } from './postcodes.ts';

/** The places of one collection, as searches read them. */
export interface ReadableGeoIndex {
  readonly places: ReadablePlaces;
  /** Documents that have a place. */
  readonly documents: number;
  readonly bytes: number;
  /** The documents in a circle, of some documents or of all. */
  inCircle(circle: Circle, documents: OrdSet | undefined): Promise<OrdSet>;
}

/** The places of a partition, here or elsewhere, as `joinGeoIndexes` needs them. */
export interface GeoIndexPart {
  readonly places: PlacesPart;
}

/** Takes the place of the index of a partition on another node (`ViewKind.standIn`). */
export function standInPlaces(link: PartLink): GeoIndexPart {
  return { places: new RemotePlaces(link, holdsOf(link.part)) };
}

/** The indexes of all partitions of a collection, read as one (`ViewKind.join`). */
export function joinGeoIndexes(parts: readonly GeoIndexPart[]): ReadableGeoIndex {
  return new SearchedPlaces(joinPlaces(parts.map(({ places }) => places)));
}

class SearchedPlaces<Places extends ReadablePlaces> implements ReadableGeoIndex {
  readonly places: Places;

  constructor(places: Places) {
    this.places = places;
  }

  get documents(): number {
    return this.places.documents;
  }

  get bytes(): number {
    return this.places.bytes;
  }

  async inCircle(circle: Circle, documents: OrdSet | undefined): Promise<OrdSet> {
    return OrdSet.of(await this.places.inCircle(circle, { documents }));
  }
}

/** The places of one collection, or of one of its partitions, as the view keeps them. */
export class GeoIndex extends SearchedPlaces<PlaceIndex> implements ViewIndex {
  /** Without a place the document is removed. */
  put(ord: number, point: Point | undefined): void {
    if (point === undefined) this.places.remove(ord);
    else this.places.put(ord, point);
  }

  remove(ord: number): void {
    this.places.remove(ord);
  }

  settle(): boolean {
    return this.places.settle();
  }

  save(): AsyncIterable<Uint8Array> {
    return this.places.save();
  }
}

/** The places of all collections, which follow the change feed. */
export type GeoView = CollectionView<GeoIndex, ReadableGeoIndex, GeoIndexPart>;

/** The magic of the checkpoint files of places. */
const CHECKPOINT_MAGIC = 'QGEOPT01';
/** Number of documents whose postcodes are looked up together. */
const STEP = 256;

export type GeoEnvironment = Pick<DocsEnvironment,
  'sql' | 'feed' | 'log' | 'clock' | 'keys' | 'settings' | 'checkpoints'>;

/**
 * A view of the places of documents, from their metadata (design, sections 1 and 4). It contains no documents without a
 * place.
 */
export function createGeoView(env: GeoEnvironment,
  { collections }: { readonly collections: Pick<Collections, 'configOf'> }): GeoView
{
  return new CollectionView(env, geoKind(env), viewOptions(env, collections, 'geo', CHECKPOINT_MAGIC));
}

function geoKind({ sql, log, clock }: GeoEnvironment): ViewKind<GeoIndex, ReadableGeoIndex, GeoIndexPart> {
  return {
    name: 'geo',
    reindexChange: 'geo.reindex',
    create: () => new GeoIndex(new PlaceIndex({ builtAt: unixSeconds(clock) })),
    restore: async (_, bytes) => new GeoIndex(await PlaceIndex.load(bytes)),
    effectOf,
    collections: () => filledCollections(sql, 'docs'),
    entryOf,
    entriesOf: (ords) => toEntries(sql, documentsOf({ queries: sql, log }, ords)),
    allEntries: (partition) => toEntries(sql.background, allDocuments({ queries: sql.background, log }, partition)),
    join: joinGeoIndexes,
    standIn: standInPlaces,
    answer: ({ places }, method, args) => answerPlaces(places, method, args),
  };
}

/** Metadata that could not be decrypted may be readable after they are encrypted again. */
function effectOf({ kind }: Change): Effect | undefined {
  if (kind === 'doc.put' || kind === 'encryption.reseal') return 'read';
  return kind === 'doc.delete' ? 'remove' : undefined;
}

/** Undefined if a postcode must be looked up, for which the tables are read. */
function entryOf({ ord, document }: Change): Entry<GeoIndex> | undefined {
  if (ord === undefined || document === undefined) return undefined;
  let asksForPostcode = false;
  const point = pointOf(document.meta, () => {
    asksForPostcode = true;
    return undefined;
  });
  return asksForPostcode ? undefined : { ord, addTo: (index) => index.put(ord, point) };
}

/** A document without a place is still an entry, because it may have had one before. */
async function* toEntries(queries: GeoEnvironment['sql']['background'],
  documents: AsyncIterable<ColumnDocument>): AsyncGenerator<Entry<GeoIndex>>
{
  let some: ColumnDocument[] = [];
  for await (const document of documents) {
    some.push(document);
    if (some.length < STEP) continue;
    yield* await entriesOf(queries, some);
    some = [];
  }
  yield* await entriesOf(queries, some);
}

async function entriesOf(queries: GeoEnvironment['sql']['background'],
  documents: readonly ColumnDocument[]): Promise<Entry<GeoIndex>[]>
{
  const postcodes = await lookUpPostcodes(queries, documents.map(({ meta }) => meta));
  return documents.map(({ ord, meta }) => {
    const point = pointOf(meta, postcodes);
    return { ord, addTo: (index) => index.put(ord, point) };
  });
}
