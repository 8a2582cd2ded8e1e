import type { BatchResult } from './send-batch.ts';
import type { SourceItem } from './source.ts';

/** How many problems and notes are kept to be shown; all are counted. */
export const LISTED = 10;

/** What an import has done so far. */
export class ImportTally {
  /** Documents that the service answered for, by what became of them. */
  added = 0;
  updated = 0;
  /** Stored already, or expired before they were sent. */
  skipped = 0;
  /** Refused by the service, or not readable as documents. */
  failed = 0;
  /** Texts that were not valid Unicode and were repaired. */
  sanitized = 0;
  /** Stored without a vector because the service's embedding queue was full. */
  embeddingDropped = 0;
  /** UTF-8 bytes of markdown in the batches that were answered. */
  bytes = 0;
  /** The first reasons of failure, each with its place. */
  readonly problems: string[] = [];
  /** The first things worth knowing, and how many there were. */
  readonly notes: string[] = [];
  noteCount = 0;

  /** Documents that are done with, whatever became of them. */
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

  /** Counts documents that failed, with as many of the reasons as are listed. */
  fail(count: number, reasons: readonly string[]): void {
    this.failed += count;
    this.problems.push(...reasons.slice(0, LISTED - this.problems.length));
  }

  /** Counts what can be said about an item before it is sent; false when it is not to be sent. */
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
