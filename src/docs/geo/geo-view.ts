import { unixSeconds } from '../../lib/clock.ts';
import type { ColumnDocument } from '../../search/columns/index.ts';
import { PlaceIndex, pointOf } from '../../search/geo/index.ts';
import type { Change } from '../../storage/index.ts';
import type { Collections } from '../collections/index.ts';
import { allDocuments, documentsOf } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { filledCollections } from '../stored-collections.ts';
import { CheckpointFiles, CollectionView, type Effect, type Entry, type ViewKind } from '../view/index.ts';
import { GeoIndex } from './geo-index.ts';
import { lookUpPostcodes } from './postcodes.ts';

/** The places of all collections, which follow the change feed. */
export type GeoView = CollectionView<GeoIndex>;

/** The magic of the checkpoint files of places. */
const CHECKPOINT_MAGIC = 'QGEOPT01';
/** Number of documents whose postcodes are looked up together. */
const STEP = 256;

export type GeoEnvironment = Pick<DocsEnvironment, 'sql' | 'feed' | 'log' | 'clock' | 'keys'>;

/**
 * A view of the places of documents, from their metadata (design, sections 1 and 4). It contains no documents without a
 * place.
 */
export function createGeoView(env: GeoEnvironment,
  { collections }: { readonly collections: Pick<Collections, 'configOf'> }): GeoView
{
  return new CollectionView(env, geoKind(env), {
    checkpoints: CheckpointFiles.beside(env.sql, 'geo', CHECKPOINT_MAGIC),
    isSecret: (collection) => collections.configOf(collection)?.encrypted === true,
    keys: env.keys,
  });
}

function geoKind({ sql, log, clock }: GeoEnvironment): ViewKind<GeoIndex> {
  return {
    name: 'geo',
    reindexChange: 'geo.reindex',
    create: () => new GeoIndex(new PlaceIndex({ builtAt: unixSeconds(clock) })),
    restore: async (_, bytes) => new GeoIndex(await PlaceIndex.load(bytes)),
    effectOf,
    collections: async () => (await filledCollections(sql, 'docs')).map(({ name }) => name),
    entryOf,
    entriesOf: (ords) => toEntries(sql, documentsOf({ queries: sql, log }, ords)),
    allEntries: (collection) => toEntries(sql.background, allDocuments({ queries: sql.background, log }, collection)),
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
