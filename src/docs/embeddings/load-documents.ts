import type { BodyCodec, Queries, Row } from '../../storage/index.ts';
import { Pace } from '../../lib/pace.ts';
import { inList, type Meta } from '../documents/index.ts';
import type { Chunker, DocumentChunk } from './chunker.ts';

/** A document that is cut into chunks and ready to be embedded. */
export interface LoadedDocument {
  readonly ord: number;
  readonly cid: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  /** Of the body. */
  readonly crc: number;
  readonly bytes: number;
  readonly chunking: string;
  readonly chunks: readonly DocumentChunk[];
}

/** A document whose body cannot be read. */
export interface UnreadableDocument extends Omit<LoadedDocument, 'chunks'> {
  readonly error: Error;
}

interface BodyRow extends Row {
  readonly ord: number;
  readonly cid: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  readonly crc: number;
  readonly bytes: number;
  readonly meta: string;
  readonly body: Uint8Array;
}

/**
 * The current documents of some ordinals; those that were removed or have expired at `now` are left out. With `characters`, only that many of
 * a body are cut into chunks.
 */
export async function loadDocuments(
  queries: Queries, codec: BodyCodec, chunker: Chunker, ords: readonly number[], now: number, characters = Infinity,
): Promise<{ documents: LoadedDocument[]; unreadable: UnreadableDocument[] }> {
  const documents: LoadedDocument[] = [];
  const unreadable: UnreadableDocument[] = [];
  if (ords.length === 0) return { documents, unreadable };
  const { marks, params } = inList(ords);
  const rows = await queries.all<BodyRow>(
    `SELECT ord, cid, id, key, lang, crc, bytes, meta, body FROM documents WHERE ord IN (${marks}) AND (expires_at IS NULL OR expires_at > ?)`, [...params, now],
  );
  const order = new Map(ords.map((ord, i) => [ord, i]));
  const pace = new Pace();
  await codec.fetchAhead(rows.map(({ body }) => body));
  for (const row of rows.sort((a, b) => order.get(a.ord)! - order.get(b.ord)!)) {
    const { ord, cid, id, key, lang, crc, bytes } = row;
    const meta = JSON.parse(row.meta) as Meta;
    const document = { ord, cid, id, key, lang, crc, bytes, chunking: chunker.chunkingOf({ key, meta }) };
    try {
      documents.push({ ...document, chunks: chunker.chunksOf({ key, meta, contentMd: (await codec.decodeOnce(row.body)).slice(0, characters) }) });
    } catch (error) {
      unreadable.push({ ...document, error: error as Error });
    }
    await pace.rest();
  }
  return { documents, unreadable };
}

/** The first documents whose bodies fit the limits together: at least one document. */
export function fitting<T extends { readonly bytes: number }>(documents: readonly T[], maxDocuments: number, maxBytes: number): T[] {
  let total = 0;
  const end = documents.findIndex(({ bytes }, i) => i === maxDocuments || ((total += bytes) > maxBytes && i > 0));
  return documents.slice(0, end < 0 ? documents.length : end);
}
