import { ServiceError } from '../../../errors/index.ts';
import { type SimilarityMetric, type SimilarityResult, similarityRoom } from '../../../kernels/similarity.ts';
import { inBatches } from '../../../lib/batcher.ts';
import { Pace } from '../../../lib/pace.ts';
import { ThreadClient, workerFile } from '../../../lib/thread-client.ts';
import type { SpaceEmbeddings, StoredVector } from '../../embeddings/index.ts';
import { inOne } from '../classify/document-vector.ts';
import type { ComparedDocument } from './compared-documents.ts';

/** Messages to the thread. */
export type ToThread =
  /** Rows of a set of comparable vectors: `vectors` are concatenated, and each row takes the next `counts` of them. */
  | {
    readonly op: 'add';
    readonly set: number;
    readonly dims: number;
    readonly metric: SimilarityMetric;
    readonly counts: readonly number[];
    readonly vectors: Float32Array<ArrayBuffer>;
  }
  /** Compares the rows of each set. The last message. */
  | { readonly op: 'compare'; readonly threshold: number };

/** The result of each set, by its number; empty for rows that were added. */
export type FromThread = readonly (readonly [set: number, result: SimilarityResult])[];

export interface SimilarGroup {
  /** Mean score of its pairs. */
  readonly score: number;
  /** By id. */
  readonly documents: readonly { readonly document: ComparedDocument; readonly best: number }[];
}

export interface SimilarDocuments {
  readonly pairs: number;
  /** By their first document. */
  readonly groups: readonly SimilarGroup[];
}

export interface SimilarityQuery {
  readonly metric: SimilarityMetric;
  readonly threshold: number;
}

/** Maximum number of documents, and of vectors, that one statement reads. */
const DOCUMENTS = 64;
const VECTORS = 256;

/**
 * Finds the documents whose mean vectors are similar; only vectors of the same model are compared. The means and their
 * similarities are computed in a separate thread, which ends at once when the signal aborts.
 */
export async function similarDocuments(embeddings: Pick<SpaceEmbeddings, 'vectorsOfDocuments'>,
  documents: readonly ComparedDocument[], { metric, threshold }: SimilarityQuery,
  signal: AbortSignal): Promise<SimilarDocuments>
{
  const embedded = documents.filter(({ model }) => model !== null);
  if (embedded.length < 2) return { pairs: 0, groups: [] };
  signal.throwIfAborted();
  const thread: SimilarityThread = new ThreadClient(workerFile(import.meta.url, 'similarity-thread'), {
    name: 'the thread that compares documents',
    restarts: false,
  });
  const abort = (): void => void thread.end(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const sets = await sendVectors(thread, embeddings, embedded, metric, signal);
    return toGroups(await thread.request({ op: 'compare', threshold }), sets);
  } finally {
    signal.removeEventListener('abort', abort);
    await thread.end();
  }
}

type SimilarityThread = ThreadClient<ToThread, FromThread>;

/** Sends the vectors in the order of the documents; returns, for each set of comparable ones, its documents by row. */
async function sendVectors(thread: SimilarityThread, embeddings: Pick<SpaceEmbeddings, 'vectorsOfDocuments'>,
  documents: readonly ComparedDocument[], metric: SimilarityMetric, signal: AbortSignal): Promise<ComparedDocument[][]>
{
  const sets = new Map<string, { number: number; documents: ComparedDocument[] }>();
  const pace = new Pace();
  for (const some of inBatches(documents, DOCUMENTS, ({ chunks }) => chunks ?? 0, VECTORS)) {
    signal.throwIfAborted();
    const vectors = Map.groupBy(await embeddings.vectorsOfDocuments(some.map(({ ord }) => ord)), ({ ord }) => ord);
    // others were changed or deleted meanwhile
    const found = some.filter(({ ord, crc }) => vectors.get(ord)?.[0]?.crc === crc);
    for (const [key, same] of Map.groupBy(found, ({ ord }) => keyOf(vectors.get(ord)![0]!))) {
      const dims = vectors.get(same[0]!.ord)![0]!.dimensions;
      let set = sets.get(key);
      if (set === undefined) sets.set(key, set = { number: sets.size, documents: [] });
      set.documents.push(...same);
      requireRoom(set.documents.length, dims);
      await send(thread, set.number, dims, metric, same.map(({ ord }) => vectors.get(ord)!));
    }
    await pace.rest();
  }
  return [...sets.values()].map((set) => set.documents);
}

function keyOf({ model, variant, dimensions }: StoredVector): string {
  return JSON.stringify([model, variant, dimensions]);
}

async function send(thread: SimilarityThread, set: number, dims: number, metric: SimilarityMetric,
  rows: readonly StoredVector[][]): Promise<void>
{
  const vectors = inOne(rows.flatMap((chunks) => chunks.map(({ vector }) => vector)));
  await thread.request({ op: 'add', set, dims, metric, counts: rows.map(({ length }) => length), vectors }, [
    vectors.buffer,
  ]);
}

function requireRoom(count: number, dims: number): void {
  const room = similarityRoom(dims);
  if (count > room)
    throw new ServiceError('invalid_argument', `maxDocs must be at most ${room} where vectors have ${dims} numbers`);
}

function toGroups(answer: FromThread, sets: readonly ComparedDocument[][]): SimilarDocuments {
  const groups = answer.flatMap(([set, result]) => result.groups.map((group) => toGroup(group, sets[set]!)));
  const first = ({ documents }: SimilarGroup): string => documents[0]!.document.id;
  return {
    pairs: answer.reduce((sum, [, { pairs }]) => sum + pairs, 0),
    groups: groups.sort((a, b) => (first(a) < first(b) ? -1 : 1)),
  };
}

function toGroup({ score, rows, best }: SimilarityResult['groups'][number],
  documents: readonly ComparedDocument[]): SimilarGroup
{
  return { score, documents: rows.map((row, i) => ({ document: documents[row]!, best: best[i]! })) };
}
