import type { BatchResult } from './send-batch.ts';
import type { SourceItem } from './source.ts';

/** How many problems and notes are kept for display; all are counted. */
export const LISTED = 10;

/** What an import has done so far. */
export class ImportTally {
  /** Documents for which the service responded, by their result. */
  added = 0;
  updated = 0;
  /** Already stored, or expired before they were sent. */
  skipped = 0;
  /** Rejected by the service, or not readable as documents. */
  failed = 0;
  /** Texts that were not valid Unicode and were repaired. */
  sanitized = 0;
  /** Stored without a vector because the service's embedding queue was full. */
  embeddingDropped = 0;
  /** UTF-8 bytes of markdown in the batches that were answered. */
  bytes = 0;
  /** The first failures, each with its position. */
  readonly problems: string[] = [];
  /** The first notes, and the number of all. */
  readonly notes: string[] = [];
  noteCount = 0;

  /** Number of finished documents, whatever their result. */
  get done(): number {
    return this.added + this.updated + this.skipped + this.failed;
  }

  add(result: BatchResult, bytes: number): void {
    this.added += result.added;
    this.updated += result.updated;
    this.skipped += result.skipped;
    this.sanitized += result.sanitized;
    this.embeddingDropped += result.embeddingDropped;
    this.bytes += bytes;
    this.fail(result.failed, result.reasons);
    for (const note of result.notes ?? []) this.note(note);
  }

  /** Counts documents that failed, and keeps as many of the reasons as are listed. */
  fail(count: number, reasons: readonly string[]): void {
    this.failed += count;
    this.problems.push(...reasons.slice(0, LISTED - this.problems.length));
  }

  /** Counts what is known about an item before it is sent; returns false if it must not be sent. */
  accepts(item: SourceItem): item is SourceItem & { kind: 'document' } {
    if (item.kind === 'problem') this.fail(1, [`${item.origin}: ${item.problem}`]);
    if (item.kind === 'skipped') this.skipped++;
    if (item.kind !== 'document') return false;
    if (item.sanitized) this.sanitized++;
    for (const note of item.notes) this.note(`${item.origin}: ${note}`);
    return true;
  }

  private note(text: string): void {
    this.noteCount++;
    if (this.notes.length < LISTED) this.notes.push(text);
  }
}
