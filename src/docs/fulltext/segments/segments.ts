import { availableParallelism } from 'node:os';
import { BURST_IDLE_MS, ThreadClient, workerFile } from '../../../lib/thread-client.ts';
import type { Segment } from '../../../search/inverted/index.ts';
import type { Change } from '../../../storage/index.ts';
import type { Preparation, UpcomingDocument } from '../../documents/index.ts';

export interface SegmentsRequest {
  /** The names that have field numbers in the index (`TextIndex.fieldNames`). */
  readonly fieldNames: readonly string[];
  readonly documents: readonly UpcomingDocument[];
}

/**
 * Segments of consecutive documents, from the first one on. A number stands for so many documents that do not fit a
 * segment; `error` is the reason why there is no reply.
 */
export type SegmentsReply = { readonly segments: readonly (Segment | number)[] } | { readonly error: string };

/** Memory for young objects, in MB: texts are released after each batch, so more would only delay their collection. */
const YOUNG_MB = 12;

/** The main thread's side of `thread.ts`. */
export class SegmentMaker {
  readonly #thread: ThreadClient<SegmentsRequest, SegmentsReply>;

  /** Tests may pass another thread. */
  constructor(file: URL = workerFile(import.meta.url, 'thread')) {
    this.#thread = new ThreadClient(file, {
      name: 'the thread that makes segments',
      idleMs: BURST_IDLE_MS,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
  }

  /** As `makeSegments`. Rejects when the thread fails; the index can then tokenize the documents itself. */
  async make(fieldNames: readonly string[],
    documents: readonly UpcomingDocument[]): Promise<readonly (Segment | number)[]>
  {
    const reply = await this.#thread.request({ fieldNames, documents });
    if ('error' in reply) throw new Error(reply.error);
    return reply.segments;
  }
}

/** Below this number of documents, the thread is not worth the transfer. */
const WORTH_THE_WAY = 16;

/** What the full-text view prepares of a document: its place in a segment. */
class PreparedText {
  readonly segment: Segment;
  readonly place: number;

  constructor(segment: Segment, place: number) {
    this.segment = segment;
    this.place = place;
  }
}

/** Documents that can be added as a segment. */
export interface SegmentChanges {
  readonly segment: Segment;
  /** The changes of its documents, in the order of the segment. */
  readonly changes: readonly Change[];
}

/** One per process, because all collections share the thread. */
const shared = new SegmentMaker();

export interface SegmentsOptions {
  /**
   * The named fields of a collection's index (`TextIndex.fieldNames`). If it throws, because the index is not ready,
   * nothing is prepared.
   */
  readonly fieldNames: (collection: string) => readonly string[];
  readonly maker?: Pick<SegmentMaker, 'make'>;
  /** Number of processors; with one, a thread would only take time from this one. */
  readonly processors?: number;
}

/**
 * Tokenizes the documents of batches in a thread before they are written, so that the main thread only merges the
 * result into the index. Documents that are not prepared, for whatever reason, are tokenized by the index itself, with
 * the same result.
 */
export function preparingSegments(
  { fieldNames, maker = shared, processors = availableParallelism() }: SegmentsOptions,
): Preparation {
  return {
    async prepare(collection, documents) {
      if (processors < 2 || documents.length < WORTH_THE_WAY) return [];
      try {
        return prepared(await maker.make(fieldNames(collection), documents));
      } catch {
        return [];
      }
    },
  };
}

function prepared(segments: readonly (Segment | number)[]): (PreparedText | undefined)[] {
  return segments.flatMap((
    segment,
  ) => (typeof segment === 'number'
    ? Array.from({ length: segment }, () => undefined)
    : Array.from({ length: segment.documents }, (_, place) => new PreparedText(segment, place)))
  );
}

/** The segments all of whose documents were written by these changes, one after the other. */
export function segmentsOf(changes: readonly Change[]): SegmentChanges[] {
  const found: SegmentChanges[] = [];
  for (let i = 0; i < changes.length; i++) {
    const first = preparedOf(changes[i]!);
    if (first?.place !== 0) continue;
    const { segment } = first;
    const together = changes.slice(i, i + segment.documents);
    const isWhole = together.length === segment.documents &&
      together.every((change, place) => isAt(change, segment, place));
    if (isWhole) found.push({ segment, changes: together });
  }
  return found;
}

function isAt(change: Change, segment: Segment, place: number): boolean {
  const prepared = preparedOf(change);
  return prepared?.segment === segment && prepared.place === place;
}

function preparedOf({ document }: Change): PreparedText | undefined {
  return document?.prepared instanceof PreparedText ? document.prepared : undefined;
}
