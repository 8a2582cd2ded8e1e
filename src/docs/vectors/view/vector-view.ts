import { numbersOf, type VectorIndexOptions } from '../../../search/vector/index.ts';
import type { Change } from '../../../storage/index.ts';
import type { DocumentVectors, Embeddings } from '../../embeddings/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { CollectionView, type CollectionViewOptions, type Effect, type Entry,
  type ViewKind } from '../../view/index.ts';
import { CollectionVectors } from './collection-vectors.ts';
import { allVectors, vectorsOfOrds } from './read-vectors.ts';

/** The magic of the checkpoint files of vector indexes. */
export const CHECKPOINT_MAGIC = 'QVECIX01';

export interface VectorViewOptions extends CollectionViewOptions {
  readonly embeddings: Pick<Embeddings, 'freshVectorsOf' | 'vectorsOfCollection' | 'vectorsOfDocuments'>;
  readonly index: VectorIndexOptions;
}

type Environment = Pick<DocsEnvironment, 'sql' | 'feed' | 'log'>;

/** The vectors of all collections, which follow the change feed (design, sections 1 and 5). */
export class VectorView extends CollectionView<CollectionVectors> {
  readonly #closing: Set<Promise<void>>;

  constructor(env: Environment, options: VectorViewOptions) {
    const closing = new Set<Promise<void>>();
    super(env, vectorKind(env, options, (ended) => {
      closing.add(ended);
      const forget = (): void => void closing.delete(ended);
      ended.then(forget, forget);
    }), options);
    this.#closing = closing;
  }

  /** Resolves when indexes that the view released no longer use the workers; never rejects. */
  async closed(): Promise<void> {
    await Promise.allSettled(this.#closing);
  }
}

function vectorKind({ sql, log }: Environment, { embeddings, index }: VectorViewOptions,
  onClose: (closing: Promise<void>) => void): ViewKind<CollectionVectors>
{
  const toEntry = (document: DocumentVectors): Entry<CollectionVectors> => ({
    ord: document.ord,
    addTo: (vectors) => put(vectors, document, log),
  });
  return {
    name: 'vector',
    create: () => CollectionVectors.create(index, onClose),
    restore: (_, bytes) => CollectionVectors.restore(bytes, index, onClose),
    effectOf,
    async collections() {
      const rows = await sql.all<{ name: string }>(
        'SELECT name FROM collections WHERE docs > 0 AND EXISTS (SELECT 1 FROM embeddings WHERE cid = id) ORDER ' +
          'BY docs',
      );
      return rows.map(({ name }) => name);
    },
    entryOf(change) {
      const document = embeddings.freshVectorsOf(change);
      return document && toEntry(document);
    },
    entriesOf: (ords) => map(vectorsOfOrds(sql.background, embeddings, ords), toEntry),
    allEntries: (collection) => map(allVectors(embeddings, collection), toEntry),
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
    vectors.remove(document.ord);
  }
}

async function* map<T, U>(items: AsyncIterable<T>, toOther: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield toOther(item);
}
