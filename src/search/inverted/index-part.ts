import type { InvertedIndex } from './inverted-index.ts';

/**
 * What a `PartitionedIndex` reads of each of its indexes: an `InvertedIndex` of this process, or what stands for one in
 * another (`RemotePart`).
 */
export interface IndexPart
  extends
    Pick<InvertedIndex,
      'classes' | 'classesOf' | 'countForms' | 'documentsByClass' | 'documentsByField' | 'documentsOfTerms'
        | 'fieldNames' | 'formEnd' | 'hasForm' | 'haveAny' | 'lengthsOf' | 'mayBeIn' | 'postingsOf' | 'rerank'
        | 'revision' | 'search' | 'size' | 'statistics' | 'stats' | 'textOf' | 'version' | 'watch'>
{
  /**
   * Reads forms of an index in another process, some at each call; returns whether they are those that it had when the
   * request began. Absent in an index of this process.
   */
  follow?(): boolean;
}

/** Whether a part is in another process, so that reading it may throw `Unanswered`. */
export function isElsewhere(part: Pick<IndexPart, 'follow'>): boolean {
  return part.follow !== undefined;
}
