import { hash, webcrypto } from 'node:crypto';
import { Pace } from '../../../lib/pace.ts';
import type { AnswerBudget } from '../../../operations/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { readRows } from '../../fulltext/index.ts';
import type { ComparedDocument } from './compared-documents.ts';
import { inBatches } from '../../../lib/in-batches.ts';

/** What a result tells of a body. */
export interface BodyDigest {
  /** SHA-256 of its UTF-8, as hexadecimal digits. */
  readonly hash: string;
  /** Where it was asked for. */
  readonly contentMd?: string;
}

/** Bodies that are in memory together. */
const DOCUMENTS = 64;
const BYTES = 8 * 1024 * 1024;
/** Bodies from this size on are hashed in the thread pool. */
const LARGE = 256 * 1024;

/** Hashes bodies, and keeps those that the answer may hold where they are wanted; documents that are gone are left out. By ordinal. */
export async function readBodies(
  { sql, codec }: Pick<DocsEnvironment, 'sql' | 'codec'>, documents: readonly ComparedDocument[], keep: AnswerBudget | undefined, signal: AbortSignal,
): Promise<Map<number, BodyDigest>> {
  const digests = new Map<number, BodyDigest>();
  const pace = new Pace();
  for (const some of inBatches(documents, DOCUMENTS, ({ bytes }) => bytes, BYTES)) {
    signal.throwIfAborted();
    const rows = await readRows(sql, some.map(({ ord }) => ord), { withBodies: true, mostBytes: Infinity });
    for (const { ord, body } of rows.values()) {
      const contentMd = await codec.decodeAsync(body!);
      digests.set(ord, { hash: await sha256(contentMd), ...(keep?.take(Buffer.byteLength(contentMd)) && { contentMd }) });
      await pace.rest();
    }
  }
  return digests;
}

async function sha256(text: string): Promise<string> {
  if (text.length < LARGE) return hash('sha256', text);
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', Buffer.from(text))).toString('hex');
}
