import { Pace } from '../../lib/pace.ts';
import { type BodyCodec, inList, type Queries, type Row } from '../../storage/index.ts';
import type { Meta } from '../documents/index.ts';
import type { Chunker, DocumentChunk } from './chunker.ts';

/** A version of a document, and how it is cut. */
export interface DocumentVersion {
  readonly ord: number;
  readonly cid: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  /** Of the body. */
  readonly crc: number;
  readonly bytes: number;
  readonly chunking: string;
}

/** A document that is cut into chunks and ready to be embedded. */
export interface LoadedDocument extends DocumentVersion {
  readonly chunks: readonly DocumentChunk[];
}

/** A document whose body cannot be read. */
export interface UnreadableDocument extends DocumentVersion {
  readonly error: Error;
}

/** A document as the table has it. */
export interface BodyRow extends Row {
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
 * The current documents of some ordinals, in their order; those that were removed or have expired at `now` are left
 * out.
 */
export async function bodyRows(queries: Queries, codec: BodyCodec, ords: readonly number[],
  now: number): Promise<BodyRow[]>
{
  if (ords.length === 0) return [];
  const { marks, params } = inList(ords);
  const rows = await queries.all<BodyRow>(
    `SELECT ord, cid, id, key, lang, crc, bytes, meta, body FROM documents WHERE ord IN (${marks}) AND (expires_at ` +
      'IS NULL OR expires_at > ?)',
    [...params, now],
  );
  const order = new Map(ords.map((ord, i) => [ord, i]));
  await codec.fetchAhead(rows.map(({ body }) => body));
  return rows.sort((a, b) => order.get(a.ord)! - order.get(b.ord)!);
}

export function versionOf({ ord, cid, id, key, lang, crc, bytes, meta }: BodyRow,
  chunker: Pick<Chunker, 'chunkingOf'>): DocumentVersion
{
  return {
    ord,
    cid,
    id,
    key,
    lang,
    crc,
    bytes,
    chunking: chunker.chunkingOf({ key, lang, meta: JSON.parse(meta) as Meta }),
  };
}

/** As `bodyRows`, cut into chunks. With `characters`, only that many of a body are. */
export async function loadDocuments(queries: Queries, codec: BodyCodec, chunker: Chunker, ords: readonly number[],
  now: number, characters = Infinity): Promise<{ documents: LoadedDocument[]; unreadable: UnreadableDocument[] }>
{
  const documents: LoadedDocument[] = [];
  const unreadable: UnreadableDocument[] = [];
  const pace = new Pace();
  for (const row of await bodyRows(queries, codec, ords, now)) {
    const { key, lang } = row;
    const meta = JSON.parse(row.meta) as Meta;
    const document = versionOf(row, chunker);
    try {
      documents.push({
        ...document,
        chunks: chunker.chunksOf({
          key,
          lang,
          meta,
          contentMd: (await codec.decodeAsync(row.body)).slice(0, characters),
        }),
      });
    } catch (error) {
      unreadable.push({ ...document, error: error as Error });
    }
    await pace.rest();
  }
  return { documents, unreadable };
}

/** The first documents whose bodies fit the limits together: at least one document. */
export function fitting<T extends { readonly bytes: number }>(documents: readonly T[], maxDocuments: number,
  maxBytes: number): T[]
{
  let total = 0;
  const end = documents.findIndex(({ bytes }, i) => i === maxDocuments || ((total += bytes) > maxBytes && i > 0));
  return documents.slice(0, end < 0 ? documents.length : end);
}
