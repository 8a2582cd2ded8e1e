import { Pace } from '../../../lib/pace.ts';
import { type BodyCodec, type KeyRing, openBody, type Queries, sealBody,
  type Transaction } from '../../../storage/index.ts';
import type { BatchItem } from '../../documents/index.ts';
import type { JobRow } from './job-rows.ts';

/** Number of documents in one row, and so in one transaction (contract section 8). */
const MAX_COUNT = 500;

/** Maximum number of characters of JSON in one row, so that parsing it does not block the event loop. */
const MAX_CHARS = 1024 * 1024;

/** Some documents of a job, ready to be stored. */
interface Chunk {
  readonly first: number;
  readonly count: number;
  readonly stored: Uint8Array;
}

/** A document of a job; all of a job hide what is stored, or none (`BatchOptions.hidesStored`). */
interface JobDocument extends BatchItem {
  readonly hidesStored?: boolean;
}

/** Notes that the job is that of a caller without read permission, whom its callback must not tell what is stored. */
export function hidingStored<T extends object>(document: T): T & Pick<JobDocument, 'hidesStored'> {
  return { ...document, hidesStored: true };
}

interface Deps {
  readonly codec: BodyCodec;
  /**
   * If there are keys, all waiting documents are encrypted: their collection may become encrypted before they are
   * stored.
   */
  readonly keys?: KeyRing | undefined;
}

/** The documents of a job in the form in which they wait on disk. */
export async function toChunks({ codec, keys }: Deps, job: string, documents: readonly object[]): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  const pace = new Pace();
  let texts: string[] = [];
  let chars = 0;
  const flush = async (end: number): Promise<void> => {
    if (texts.length === 0) return;
    const stored = await codec.encode(`[${texts.join(',')}]`);
    const first = end - texts.length;
    chunks.push({
      first,
      count: texts.length,
      stored: keys === undefined ? stored : sealBody(keys, placeOf(job, first), stored),
    });
    texts = [];
    chars = 0;
  };
  for (const [i, document] of documents.entries()) {
    const text = JSON.stringify(document);
    if (texts.length === MAX_COUNT || chars + text.length > MAX_CHARS) await flush(i);
    texts.push(text);
    chars += text.length;
    await pace.rest();
  }
  await flush(documents.length);
  return chunks;
}

export async function insertChunks(tx: Transaction, seq: number, chunks: readonly Chunk[]): Promise<void> {
  await tx.runMany('INSERT INTO bulk_documents(job, first, count, documents) VALUES (?, ?, ?, ?)',
    chunks.map(({ first, count, stored }) => [seq, first, count, stored]));
}

/** The next documents of a job, at most one row of them; undefined when there are none. */
export async function readDocuments({ codec, keys }: Deps, queries: Queries,
  job: JobRow): Promise<JobDocument[] | undefined>
{
  const { seq } = job;
  const next = job.skipped + job.processed;
  const row = await queries.get<{ first: number; documents: Uint8Array }>(
    'SELECT first, documents FROM bulk_documents WHERE job = ? AND first <= ? AND first + count > ? LIMIT 1',
    [seq, next, next],
  );
  if (row === undefined) return undefined;
  const stored = keys === undefined
    ? row.documents
    : openBody(keys, placeOf(job.origin_id ?? job.id, row.first), row.documents);
  const documents = JSON.parse(await codec.decodeAsync(stored)) as (Partial<JobDocument>)[];
  return documents.slice(next - row.first).map(({ saveRevision = true, ...item }) => ({ ...item, saveRevision }));
}

/** Removes the rows before document `next`, so that a job does not use its disk space twice. */
export async function forgetDocuments(tx: Transaction, seq: number, next: number): Promise<void> {
  await tx.run('DELETE FROM bulk_documents WHERE job = ? AND first + count <= ?', [seq, next]);
}

/** The text to which an encrypted row is bound. */
const placeOf = (job: string, first: number): string => `|${job}/${first}`;
