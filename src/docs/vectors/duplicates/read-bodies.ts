import { hash, webcrypto } from 'node:crypto';
import { inBatches } from '../../../lib/in-batches.ts';
import { Pace } from '../../../lib/pace.ts';
import type { AnswerBudget } from '../../../operations/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { readRows } from '../../search/index.ts';
import type { ComparedDocument } from './compared-documents.ts';

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
