import { OrdSet } from '../../../lib/ord-set.ts';
import type { VectorIndexOptions } from '../../../search/vector/index.ts';
import type { DocumentVectors } from '../../embeddings/index.ts';
import { restoreEach, saved, type ViewIndex } from '../../view/index.ts';
import { type SpaceReader, SpaceVectors } from './space-vectors.ts';

/** Begins the names of spaces in a checkpoint, which cannot be empty. */
const NAMED = 'space ';

type OnClose = (closing: Promise<void>) => void;

/** What is read of the embeddings of a collection, in one index or in those of its partitions. */
export interface ReadableVectors {
  /** Documents that have vectors in any space. */
  readonly documents: number;
  readonly bytes: number;
  /** Undefined if no document has vectors in the space; the same object until another part has some there. */
  of(space: string): SpaceReader | undefined;
}

/** The embeddings of one collection, by space. */
export class CollectionVectors implements ViewIndex, ReadableVectors {
  readonly #options: VectorIndexOptions;
  readonly #onClose: OnClose;
  readonly #spaces = new Map<string, SpaceVectors>();
  /** Documents that have vectors in any space. */
  readonly #ords = new OrdSet();

  private constructor(options: VectorIndexOptions, onClose: OnClose) {
    this.#options = options;
    this.#onClose = onClose;
  }

  /** An empty index; `onClose` receives a promise for the end of all uses of its memory. */
  static create(options: VectorIndexOptions, onClose: OnClose): CollectionVectors {
    return new CollectionVectors(options, onClose);
  }

  /** Rejects for bytes that are damaged or of another version. */
  static async restore(bytes: AsyncIterable<Uint8Array>, options: VectorIndexOptions,
    onClose: OnClose): Promise<CollectionVectors>
  {
    const restored = new CollectionVectors(options, onClose);
    try {
      await restoreEach(bytes, async (name, pieces) => {
        const space = await SpaceVectors.restore(pieces, options, onClose);
        restored.#spaces.set(name.slice(NAMED.length), space);
        for (const ord of space.ordsOf()) restored.#ords.add(ord);
      });
      return restored;
    } catch (error) {
      restored.close();
      throw error;
    }
  }

  get documents(): number {
    return this.#ords.size;
  }

  get bytes(): number {
    return [...this.#spaces.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Undefined if no document has vectors in the space. */
  of(space: string): SpaceVectors | undefined {
    return this.#spaces.get(space);
  }

  /** The same, but a space without documents instead of undefined, for which this index is not changed. */
  ofAny(space: string): SpaceVectors {
    return this.#spaces.get(space) ?? SpaceVectors.create(this.#options, this.#onClose);
  }

  /** Replaces the vectors of a document in one space. */
  put(document: DocumentVectors): void {
    let space = this.#spaces.get(document.space);
    if (space === undefined)
      this.#spaces.set(document.space, space = SpaceVectors.create(this.#options, this.#onClose));
    space.put(document);
    this.#ords.add(document.ord);
  }

  /** Removes a document, from one space if that is named. */
  remove(ord: number, from?: string): void {
    for (const [name, space] of this.#spaces) {
      if (from !== undefined && from !== name) continue;
      space.remove(ord);
      if (space.documents > 0) continue;
      this.#spaces.delete(name);
      space.close();
    }
    if ([...this.#spaces.values()].every((space) => space.documentModels([ord])[0] === undefined))
      this.#ords.delete(ord);
  }

  /** The spaces in which documents have vectors. */
  spaces(): Iterable<string> {
    return this.#spaces.keys();
  }

  /** Resolves when every requested structure covers every vector; for tests. */
  async settled(): Promise<void> {
    for (const space of this.#spaces.values()) await space.settled();
  }

  /** The view keeps the position in the feed itself. */
  save(): AsyncGenerator<Uint8Array> {
    return saved(new Map([...this.#spaces].map(([name, space]) => [NAMED + name, space.save()])));
  }

  close(): void {
    for (const space of this.#spaces.values()) space.close();
  }
}
