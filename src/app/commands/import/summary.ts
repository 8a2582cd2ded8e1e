import { formatBytes, formatCount, formatRate, plural } from '../shared/format.ts';
import type { ImportResult } from './import-documents.ts';
import type { ImportTally } from './tally.ts';

export interface SummaryContext {
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
