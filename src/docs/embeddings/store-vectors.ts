import { Lru } from '../../lib/caches.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Change, ChangeFeed, NewChange, Sql } from '../../storage/index.ts';
import { type Collections, fieldOfSpace } from '../collections/index.ts';
import { collectionOfId, transact, type UnitOfWork } from '../documents/index.ts';
import type { Chunker } from './chunker.ts';
import type { EmbeddedDocument, Maker } from './embed-documents.ts';
import type { QueueGate } from './queue/gate.ts';
import { countQueued, type EmbeddingStatus, putStates, removeStates, type StateEntry,
  statusOfOrds } from './queue/state-rows.ts';
import { blobBytes, fromBlob, type Precision } from './vector-blob.ts';
import { type ModelIdentity, putVectors, SERVER_SPACE, type StoredType } from './vector-rows.ts';

interface StoreDeps {
  /** The name of the space into which it stores. */
  readonly space: string;
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly chunker: Pick<Chunker, 'chunkingOf'>;
  readonly gate: QueueGate;
  /** Receives what was stored. */
  readonly fresh?: Pick<FreshVectors, 'add'> | undefined;
  /** As in a `UnitOfWork`. */
  readonly sealerOf?: UnitOfWork['sealerOf'];
}

/** Stores the results of embedding: each function is one transaction. */
export class VectorStore {
  readonly #deps: StoreDeps;

  constructor(deps: StoreDeps) {
    this.#deps = deps;
  }

  /**
   * Stores vectors, removes their documents from the queue and appends changes to the feed. Returns the ordinals that
   * were stored: a document that was written meanwhile stays in the queue, because these are vectors of its earlier
   * body.
   */
  async store({ stored: usual, ...model }: Maker, embedded: readonly EmbeddedDocument[]): Promise<Set<number>> {
    const { space, chunker, fresh, sealerOf } = this.#deps;
    return this.#transact(async (work) => {
      const present = new Map(
        (await statusOfOrds(work.tx, space, embedded.map(({ document }) => document.ord))).map((
          status,
        ) => [status.ord, status]),
      );
      const current = embedded.filter(({ document, chunks }) => {
        const status = present.get(document.ord);
        return status !== undefined && status.id === document.id && isSameBody(status, document) &&
          chunker.chunkingOf(status) === document.chunking
          && (this.precisionOf(document.id, usual) === 'int8' ||
            chunks.every(({ vector }) => isFull(vector, model.dimensions)));
      });
      const keptAs = (id: string) => ({
        stored: this.#wanted(id) ?? usual ?? 'float32',
        precision: this.precisionOf(id, usual),
      });
      const blobs = await putVectors(work, space, model,
        current.map(({ document: { ord, id, crc, bytes, chunking }, chunks }) => (
          {
            ord,
            cid: present.get(ord)!.cid,
            crc,
            bytes,
            chunking,
            chunks,
            ...keptAs(id),
            sealer: sealerOf?.(collectionOfId(id)),
          }
        )));
      const ords = current.map(({ document }) => document.ord);
      await removeStates(work, space, ords);
      const last = await work.feed.append(work.tx, current.map(({ document }) => vectorsChange(document)));
      const remember = (): void => {
        for (const [i, { document: { ord, id } }] of current.entries()) {
          if (blobs[i]!.length > 0)
            fresh?.add(last - current.length + 1 + i, {
              ord,
              space,
              model,
              stored: keptAs(id).stored,
              blobs: blobs[i]!,
            });
        }
      };
      // The view follows as soon as readers see the commit, before it is on disk.
      if (work.tx.onWritten === undefined) work.tx.onCommit(remember);
      else work.tx.onWritten(remember);
      return new Set(ords);
    });
  }

  /** The precision on disk of a document's vectors, for a model that is usually stored in another one than float32. */
  precisionOf(id: string, usual: Maker['stored']): Precision {
    // What a collection asks for can be changed, so full vectors are kept.
    return this.#wanted(id) === undefined ? usual ?? 'float32' : 'float32';
  }

  /** Stores the outcome for documents whose body is still the one that was tried. */
  async note(
    entries: readonly (Omit<StateEntry, 'cid'> & { readonly crc: number; readonly bytes: number })[],
  ): Promise<void> {
    if (entries.length === 0) return;
    await this.#transact(async (work) => {
      const present = new Map(
        (await statusOfOrds(work.tx, this.#deps.space, entries.map(({ ord }) => ord))).map((
          status,
        ) => [status.ord, status]),
      );
      const current = entries.flatMap((entry) => {
        const status = present.get(entry.ord);
        return status !== undefined && isSameBody(status, entry) ? [{ ...entry, cid: status.cid }] : [];
      });
      await putStates(work, this.#deps.space, current);
    });
  }

  /** Removes documents from the queue that no longer exist. */
  async forget(ords: readonly number[]): Promise<void> {
    if (ords.length > 0) await this.#transact((work) => removeStates(work, this.#deps.space, ords));
  }

  /** The type that a document's collection names for vectors of this space. */
  #wanted(id: string): StoredType | undefined {
    const { space, collections } = this.#deps;
    const config = collections.configOf(collectionOfId(id));
    return space === SERVER_SPACE ? config?.quantization : fieldOfSpace(config?.vectors, space)?.quantization;
  }

  #transact<T>(steps: (work: UnitOfWork) => Promise<T>): Promise<T> {
    const { sql, feed, clock, gate } = this.#deps;
    return transact({ sql, feed, clock }, async (work) => {
      const value = await steps(work);
      const queued = await countQueued(work.tx);
      work.tx.onCommit(() => gate.count(queued));
      return value;
    });
  }
}

/** False for a vector that was rounded, as for a configuration that its collection no longer has. */
function isFull({ byteLength }: Float32Array | Uint8Array, dimensions: number): boolean {
  return byteLength === blobBytes(dimensions, 'float32');
}

function isSameBody(status: EmbeddingStatus,
  { crc, bytes }: { readonly crc: number; readonly bytes: number }): boolean
{
  return status.crc === crc && status.bytes === bytes;
}

/** The vectors of a document were replaced or removed; the tables contain the current ones. */
export function vectorsChange({ ord, id }: { readonly ord: number; readonly id: string }): NewChange {
  return { kind: 'vectors.put', collection: collectionOfId(id), ord, docId: id };
}

/** All vectors of a document in a space, by chunk. */
export interface DocumentVectors {
  readonly ord: number;
  readonly space: string;
  readonly model: ModelIdentity;
  /** The type in which they are to be kept in memory. */
  readonly stored: StoredType;
  /** Numbers, or for int8 the bytes of the table if they are rounded there, too. */
  readonly vectors: readonly (Float32Array | Uint8Array)[];
}

/** The same as the table has them. */
interface StoredDocument extends Omit<DocumentVectors, 'vectors'> {
  readonly blobs: readonly Uint8Array[];
}

/**
 * Bytes of vectors that are kept at most: a view that falls behind by more reads them from the table, which makes it
 * slower still.
 */
const KEPT_BYTES = 8 * 2 ** 20;

/** The last change of a document, without its vectors if they are not all that has changed since the view looked. */
interface FreshChange {
  readonly lsn: number;
  readonly document: StoredDocument | undefined;
}

/**
 * The vectors that this process stored last, by document. A view that follows closely takes them from here: reading
 * them from the table again takes longer than writing them. A change that is not here, or no longer, is read from the
 * table, and so are changes of several spaces of a document, of which the view may see only the last.
 */
export class FreshVectors {
  readonly #changes = new Lru<number, FreshChange>(KEPT_BYTES, { sizeOf: bytesOf });

  /** Adds the vectors of a committed change. */
  add(lsn: number, document: StoredDocument): void {
    const before = this.#changes.get(document.ord);
    const isAlone = before === undefined || before.document?.space === document.space;
    this.#changes.set(document.ord, { lsn, document: isAlone ? document : undefined });
  }

  /** The vectors of a change as the table had them then; each only once. */
  take({ lsn, ord = 0 }: Pick<Change, 'lsn' | 'ord'>): DocumentVectors | undefined {
    const change = this.#changes.get(ord);
    if (change === undefined || change.lsn > lsn) return undefined;
    this.#changes.delete(ord);
    if (change.document === undefined || change.lsn !== lsn) return undefined;
    const { blobs, ...rest } = change.document;
    const { stored, model: { dimensions } } = rest;
    const rounded = stored === 'int8' ? blobBytes(dimensions, 'int8') : undefined;
    return { ...rest, vectors: blobs.map((blob) => (blob.length === rounded ? blob : fromBlob(blob, dimensions))) };
  }

  /** Call this when the numbers of changes begin again. */
  clear(): void {
    this.#changes.clear();
  }
}

/** A change without vectors takes about as much as a small one. */
function bytesOf({ document }: FreshChange): number {
  return document?.blobs.reduce((sum, { length }) => sum + length, 0) ?? 256;
}
