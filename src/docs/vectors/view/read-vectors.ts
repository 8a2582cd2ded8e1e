import { inList, type Queries } from '../../../storage/index.ts';
import type { DocumentVectors, Embeddings, StoredVector } from '../../embeddings/index.ts';

/** Maximum number of vectors that one statement reads, unless a single document has more. */
const VECTORS_AT_ONCE = 256;
/** Maximum number of documents whose numbers of chunks one statement reads. */
const STEP = 256;

/** The vectors of some documents; those that have none are left out. */
export async function* vectorsOfOrds(queries: Queries, embeddings: Pick<Embeddings, 'vectorsOfDocuments'>,
  ords: readonly number[]): AsyncGenerator<DocumentVectors>
{
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    const rows = await queries.all<{ ord: number; chunks: number }>(
      `SELECT ord, chunks FROM embeddings WHERE ord IN (${marks}) AND chunks > 0`,
      params,
    );
    for (const some of groups(rows)) yield* documentsIn(pagesOf(embeddings, some));
  }
}

/** All vectors of a collection. */
export function allVectors(embeddings: Pick<Embeddings, 'vectorsOfCollection'>,
  collection: string): AsyncGenerator<DocumentVectors>
{
  return documentsIn(embeddings.vectorsOfCollection(collection));
}

async function* pagesOf(embeddings: Pick<Embeddings, 'vectorsOfDocuments'>,
  ords: readonly number[]): AsyncGenerator<StoredVector[]>
{
  yield await embeddings.vectorsOfDocuments(ords);
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

/** Groups vectors, which are ordered by document and chunk, by document. */
async function* documentsIn(pages: AsyncIterable<readonly StoredVector[]>): AsyncGenerator<DocumentVectors> {
  let open: StoredVector[] = [];
  for await (const page of pages) {
    for (const vector of page) {
      if (open.length > 0 && open[0]!.ord !== vector.ord) {
        if (isWhole(open)) yield toDocument(open);
        open = [];
      }
      open.push(vector);
    }
  }
  if (open.length > 0 && isWhole(open)) yield toDocument(open);
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
  const [{ ord, model, variant, stored, vector: { length: dimensions } }] = vectors as [StoredVector];
  return { ord, stored, model: { model, variant, dimensions }, vectors: vectors.map(({ vector }) => vector) };
}
