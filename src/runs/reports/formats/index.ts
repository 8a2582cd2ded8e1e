import { decodeUtf8, withoutByteOrderMark } from '../../../lib/bytes.ts';
import { parseJunit } from './junit.ts';
import { type ParsedReport, UnreadableReport } from './parsed.ts';
import { parseSarif } from './sarif.ts';
import { parseTap } from './tap.ts';

export { type ParsedReport, type ParsedResult, type TestState, UnreadableReport } from './parsed.ts';

export const FORMATS = ['junit', 'tap', 'sarif'] as const;
export type ReportFormat = (typeof FORMATS)[number];

/**
 * Reads a report in UTF-8, in small steps between which others have their turn; at most `most` results are returned.
 * Rejects with an `UnreadableReport`.
 */
export async function parseReport(format: ReportFormat, given: Buffer, most: number): Promise<ParsedReport> {
  const bytes = withoutByteOrderMark(given);
  if (format === 'sarif') return parseSarif(bytes, most);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new UnreadableReport('is not UTF-8');
  return format === 'junit' ? parseJunit(text, most) : parseTap(text, most);
}
