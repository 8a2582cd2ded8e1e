import type { Segment } from '../../../search/inverted/index.ts';
import type { UpcomingDocument } from '../../documents/index.ts';

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
