import { formatBytes, formatCount, formatRate, plural } from '../shared/output.ts';
import type { BatchResult, ImportResult } from './import-documents.ts';
import type { SourceItem } from './source.ts';

/** How many problems and notes are kept for display; all are counted. */
const LISTED = 10;

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

interface SummaryContext {
  readonly source: string;
  readonly collection: string;
  readonly seconds: number;
  /** Nothing was sent; documents that would have been sent are counted as added. */
  readonly dryRun: boolean;
}

/** A readable summary of an import: counts, amount and speed. Nothing if there was nothing to import. */
export function summaryLines({ tally, stoppedBy }: ImportResult, context: SummaryContext): string[] {
  const { collection, seconds, dryRun, source } = context;
  const stored = tally.added + tally.updated;
  const took = `${seconds.toFixed(1)} s`;
  if (stoppedBy !== undefined && tally.done === 0) return [];
  if (dryRun)
    return [
      `${plural(stored, 'document')} of ${source} would go to collection ${collection} (${
        formatBytes(tally.bytes)
      } of markdown), ${failures(tally)}`,
      'nothing was sent (--dry-run)',
    ];
  return [
    `${stoppedBy === undefined ? 'imported' : 'stopped after'} ${
      plural(stored, 'document')
    } into collection ${collection} in ${took}`,
    `  added ${formatCount(tally.added)}, updated ${formatCount(tally.updated)}, skipped ${
      formatCount(tally.skipped)
    }, ${failures(tally)}`,
    `  ${formatBytes(tally.bytes)} of markdown, ${formatRate(tally.done, seconds)} documents/s, ${
      formatRate(tally.bytes / 1e6, seconds)
    } MB/s`,
    ...(tally.sanitized > 0
      ? [`  ${plural(tally.sanitized, 'document')} had text that was not valid UTF-8; it was repaired`]
      : []),
    ...(tally.embeddingDropped > 0
      ? [
        `  ${
          plural(tally.embeddingDropped, 'document')
        } stored without a vector: the embedding queue was full; POST /v1/vector-reindex repairs that`,
      ]
      : []),
  ];
}

/** The reasons of failures, and notes, each with its position; the rest as a number. */
export function problemLines(tally: ImportTally): string[] {
  return [...listed('failed', tally.problems, tally.failed), ...listed('note', tally.notes, tally.noteCount)];
}

/** How many names of files that were passed over are listed. */
const NAMED = 10;

/** The files of a folder that cannot become documents, in one line; none if there are none. */
export function passedOverLines(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length - NAMED;
  return [
    `passed over ${plural(paths.length, 'file')} of other kinds: ${paths.slice(0, NAMED).join(', ')}${
      more > 0 ? ` and ${formatCount(more)} more` : ''
    }`,
  ];
}

/** How far an import came that ended early. */
export function stopLines({ stoppedBy, reached }: ImportResult): string[] {
  if (stoppedBy === undefined) return [];
  const reason = `quire import: ${stoppedBy === 'signal' ? 'interrupted' : stoppedBy.message}`;
  if (reached === undefined) return [reason, 'nothing was stored'];
  return [reason,
    `the last batch that was stored ends with ${reached}; to import again is safe: what is stored already is updated`];
}

const failures = (tally: ImportTally): string => `failed ${formatCount(tally.failed)}`;

function listed(word: string, texts: readonly string[], count: number): string[] {
  const more = count - texts.length;
  return [...texts.map((text) => `${word}: ${text}`),
    ...(more > 0 && texts.length > 0 ? [`${word}: and ${formatCount(more)} more`] : [])];
}
