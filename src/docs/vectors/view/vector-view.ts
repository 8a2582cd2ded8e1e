import { numbersOf, type VectorIndexOptions } from '../../../search/vector/index.ts';
import { type Change, inList, type Queries } from '../../../storage/index.ts';
import type { DocumentVectors, Embeddings, StoredVector } from '../../embeddings/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { ClosingView, type CollectionViewOptions, type Effect, type Entry, type OnClose,
  type ViewKind } from '../../view/index.ts';
import { CollectionVectors, type ReadableVectors } from './collection-vectors.ts';
import { joinCollectionVectors } from './joined-vectors.ts';
import { answerFromVectors, type VectorsPart, VectorsStandIn } from './vectors-stand-in.ts';

/** The magic of the checkpoint files of vector indexes. */
export const CHECKPOINT_MAGIC = 'QVECIX02';

export interface VectorViewOptions extends CollectionViewOptions {
  readonly embeddings: Pick<Embeddings, 'freshVectorsOf' | 'vectorsOfCollection' | 'vectorsOfAllSpaces'>;
  readonly index: VectorIndexOptions;
}

type Environment = Pick<DocsEnvironment, 'sql' | 'feed' | 'log'>;

/** The vectors of all collections, which follow the change feed (design, sections 1 and 5). */
export class VectorView extends ClosingView<CollectionVectors, ReadableVectors, VectorsPart> {
  constructor(env: Environment, options: VectorViewOptions) {
    super(env, (onClose) => vectorKind(env, options, onClose), options);
  }
}

function vectorKind({ sql, log }: Environment, { embeddings, index }: VectorViewOptions,
  onClose: OnClose): ViewKind<CollectionVectors, ReadableVectors, VectorsPart>
{
  const toEntry = ({ ord, spaces }: DocumentSpaces): Entry<CollectionVectors> => ({
    ord,
    addTo(vectors) {
      const present = new Set(spaces.map(({ space }) => space));
      for (const space of [...vectors.spaces()]) if (!present.has(space)) vectors.remove(ord, space);
      for (const document of spaces) put(vectors, document, log);
    },
  });
  return {
    name: 'vector',
    create: () => CollectionVectors.create(index, onClose),
    restore: (_, bytes) => CollectionVectors.restore(bytes, index, onClose),
    effectOf,
    collections: () =>
      sql.all<{ name: string; docs: number }>(
        'SELECT name, docs FROM collections WHERE docs > 0 AND EXISTS (SELECT 1 FROM embeddings WHERE cid = id) ' +
          'ORDER BY docs',
      ),
    entryOf(change) {
      const document = embeddings.freshVectorsOf(change);
      return document && { ord: document.ord, addTo: (vectors) => put(vectors, document, log) };
    },
    entriesOf: (ords) => map(vectorsOfOrds(sql.background, embeddings, ords), toEntry),
    allEntries: (partition) =>
      map(documentsIn(embeddings.vectorsOfCollection(partition.collection, partition)), toEntry),
    join: joinCollectionVectors,
    standIn: (link) => new VectorsStandIn(link),
    answer: answerFromVectors,
  };
}

/** A document that is written keeps its vectors, which are the best available until it is embedded again. */
function effectOf({ kind }: Change): Effect | undefined {
  if (kind === 'vectors.put') return 'read';
  return kind === 'doc.delete' ? 'remove' : undefined;
}

/** Invalid vectors of a document must not take the index out of service. */
function put(vectors: CollectionVectors, document: DocumentVectors, log: Environment['log']): void {
  try {
    vectors.put(document);
  } catch (error) {
    if (document.vectors.every((vector) => vector.length > 0 && numbersOf({ vector }).every(Number.isFinite)))
      throw error;
    log.warn({ err: error, ord: document.ord },
      'the vectors of a document are damaged; POST /v1/vector-reindex with force embeds it again');
    vectors.remove(document.ord, document.space);
  }
}

async function* map<T, U>(items: AsyncIterable<T>, toOther: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield toOther(item);
}

/** Maximum number of vectors that one statement reads, unless a single document has more. */
const VECTORS_AT_ONCE = 256;
/** Maximum number of documents whose numbers of chunks one statement reads. */
const STEP = 256;

/** A document's vectors in all spaces. */
interface DocumentSpaces {
  readonly ord: number;
  readonly spaces: readonly DocumentVectors[];
}

/** The vectors of some documents; those that have none are left out. */
async function* vectorsOfOrds(queries: Queries, embeddings: Pick<Embeddings, 'vectorsOfAllSpaces'>,
  ords: readonly number[]): AsyncGenerator<DocumentSpaces>
{
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    const rows = await queries.all<{ ord: number; chunks: number }>(
      `SELECT ord, sum(chunks) AS chunks FROM embeddings WHERE ord IN (${marks}) AND chunks > 0 GROUP BY ord`,
      params,
    );
    for (const some of groups(rows)) yield* documentsIn(pagesOf(embeddings, some));
  }
}

async function* pagesOf(embeddings: Pick<Embeddings, 'vectorsOfAllSpaces'>,
  ords: readonly number[]): AsyncGenerator<StoredVector[]>
{
  yield await embeddings.vectorsOfAllSpaces(ords);
}

function* groups(rows: readonly { readonly ord: number; readonly chunks: number }[]): Generator<number[]> {
  let ords: number[] = [];
  let vectors = 0;
  for (const { ord, chunks } of rows) {
    if (ords.length > 0 && vectors + chunks > VECTORS_AT_ONCE) {
      yield ords;
      ords = [];
      vectors = 0;
    }
    ords.push(ord);
    vectors += chunks;
  }
  if (ords.length > 0) yield ords;
}

/** Groups vectors, which are ordered by document, space and chunk, by document. */
async function* documentsIn(pages: AsyncIterable<readonly StoredVector[]>): AsyncGenerator<DocumentSpaces> {
  let open: StoredVector[] = [];
  for await (const page of pages) {
    for (const vector of page) {
      if (open.length > 0 && open[0]!.ord !== vector.ord) {
        yield* bySpace(open);
        open = [];
      }
      open.push(vector);
    }
  }
  if (open.length > 0) yield* bySpace(open);
}

/** The vectors of one document; nothing for one that was embedded again while it was read. */
function* bySpace(vectors: readonly StoredVector[]): Generator<DocumentSpaces> {
  const spaces = [...Map.groupBy(vectors, ({ space }) => space).values()];
  if (spaces.every(isWhole)) yield { ord: vectors[0]!.ord, spaces: spaces.map(toDocument) };
}

/**
 * A document that was embedded again between two pages is returned in two parts; the feed then updates the whole
 * document.
 */
function isWhole(vectors: readonly StoredVector[]): boolean {
  const [{ model, variant, vector: { length } }] = vectors as [StoredVector];
  return vectors.every((each, i) =>
    each.chunk === i && each.model === model && each.variant === variant && each.vector.length === length
  );
}

function toDocument(vectors: readonly StoredVector[]): DocumentVectors {
  const [{ ord, space, model, variant, stored, vector: { length: dimensions } }] = vectors as [StoredVector];
  return { ord, space, stored, model: { model, variant, dimensions }, vectors: vectors.map(({ vector }) => vector) };
}
