import { hash, webcrypto } from 'node:crypto';
import { ServiceError } from '../../../errors/index.ts';
import { inBatches } from '../../../lib/batcher.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import { Pace } from '../../../lib/pace.ts';
import type { AnswerBudget } from '../../../operations/index.ts';
import type { Row } from '../../../storage/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { readRows } from '../../search/index.ts';

/** A document that is compared with others. */
export interface ComparedDocument extends Row {
  readonly ord: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  /** CRC-32 and length of the body. */
  readonly crc: number;
  readonly bytes: number;
  /** Model of the vectors of the present body; null when it has none. */
  readonly model: number | null;
  /** Vectors of the document; null when it was never embedded. */
  readonly chunks: number | null;
}

/** Maximum number of rows of one statement. */
const PAGE = 2000;

/**
 * The first documents of a collection by id, up to a limit, without those that have expired, with their vectors in a
 * space. Vectors that were made before the last change of the body do not count.
 */
export async function comparedDocuments({ sql, clock }: Pick<DocsEnvironment, 'sql' | 'clock'>, space: string,
  collection: string, most: number, signal: AbortSignal): Promise<ComparedDocument[]>
{
  const now = unixSeconds(clock);
  const name = collection.toLowerCase();
  if (name.includes('|')) throw new ServiceError('invalid_argument', 'collection must not contain "|"');
  const documents: ComparedDocument[] = [];
  let last = `${name}|`;
  for (let more = true; more && documents.length < most;) {
    signal.throwIfAborted();
    const wanted = Math.min(PAGE, most - documents.length);
    // Selected by the bounds of the collection's ids, because that index has the required order; "}" follows "|".
    const rows = await sql.background.all<ComparedDocument>(
      `SELECT d.ord, d.id, d.key, d.lang, d.crc, d.bytes, e.chunks, CASE WHEN e.crc = d.crc AND e.bytes = d.bytes AND e.chunks > 0 THEN e.model_id END AS model
       FROM documents d LEFT JOIN embeddings e ON e.ord = d.ord AND e.space = ?
       WHERE d.id > ? AND d.id < ? AND (d.expires_at IS NULL OR d.expires_at > ?) ORDER BY d.id LIMIT ?`,
      [space, last, `${name}}`, now, wanted],
    );
    for (const row of rows) documents.push(row);
    last = rows.at(-1)?.id ?? last;
    more = rows.length === wanted;
  }
  return documents;
}

/** What a result contains of a body. */
export interface BodyDigest {
  /** SHA-256 of its UTF-8, in hexadecimal digits. */
  readonly hash: string;
  /** The text, if it was requested. */
  readonly contentMd?: string;
}

/** Maximum number of bodies in memory together. */
const DOCUMENTS = 64;
const BYTES = 8 * 1024 * 1024;
/** Bodies of at least this many bytes are hashed in the thread pool. */
const LARGE = 256 * 1024;

/**
 * Hashes bodies, and keeps requested ones as far as the answer may hold them; deleted documents are left out. By
 * ordinal.
 */
export async function readBodies({ sql, codec }: Pick<DocsEnvironment, 'sql' | 'codec'>,
  documents: readonly ComparedDocument[], keep: AnswerBudget | undefined,
  signal: AbortSignal): Promise<Map<number, BodyDigest>>
{
  const digests = new Map<number, BodyDigest>();
  const pace = new Pace();
  for (const some of inBatches(documents, DOCUMENTS, ({ bytes }) => bytes, BYTES)) {
    signal.throwIfAborted();
    const rows = await readRows(sql, some.map(({ ord }) => ord), { withBodies: true, mostBytes: Infinity });
    for (const { ord, body } of rows.values()) {
      const contentMd = await codec.decodeAsync(body!);
      digests.set(ord, {
        hash: await sha256(contentMd),
        ...(keep?.take(Buffer.byteLength(contentMd)) && { contentMd }),
      });
      await pace.rest();
    }
  }
  return digests;
}

async function sha256(text: string): Promise<string> {
  if (text.length < LARGE) return hash('sha256', text);
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', Buffer.from(text))).toString('hex');
}
