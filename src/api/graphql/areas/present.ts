import { setImmediate } from 'node:timers/promises';
import type { Document, ProjectedDocument } from '../../../../generated/docs/sdk/types.gen.ts';
import type { Document as GraphqlDocument } from '../../../../generated/graphql/resolvers.ts';
import { ServiceError } from '../../../errors/index.ts';
import { type Reply, type Truncation, truncationIn } from '../../../operations/index.ts';

/**
 * A document in the form of the schema. Only the body may be missing from a response, when a search was asked to omit
 * it.
 */
export function presentDocument(document: Document | ProjectedDocument): GraphqlDocument {
  const { id, key, lang, meta = {}, contentMd = '', addedAt, updatedAt, expiresAt, checksum } = document as Document;
  const deletedAt = 'deletedAt' in document ? document.deletedAt : undefined;
  return {
    id,
    key,
    lang,
    meta,
    contentMd,
    addedAt: addedAt!,
    updatedAt: updatedAt!,
    expiresAt: expiresAt ?? null,
    deletedAt: deletedAt ?? null,
    checksum: checksum ?? null,
  };
}

/** Number of characters in the documents' bodies. */
export function bodiesOf(documents: readonly GraphqlDocument[]): number {
  return documents.reduce((sum, { contentMd }) => sum + contentMd.length, 0);
}

interface Passage {
  readonly chunkIndex?: number;
  readonly chunkText?: string;
  readonly startLine?: number;
  readonly endLine?: number;
}

/** The passage of a result in the form of the schema; nulls for a document. */
export function presentPassage({ chunkIndex, chunkText, startLine, endLine }: Passage) {
  return {
    chunkIndex: chunkIndex ?? null,
    chunkText: chunkText ?? null,
    startLine: startLine ?? null,
    endLine: endLine ?? null,
  };
}

interface Ending {
  readonly contextTruncated?: boolean;
  readonly reranked?: number;
  readonly truncated?: boolean;
  readonly nextOffset?: number;
  readonly nextCursor?: string;
}

/** How a response of a search by similarity ends, in the form of the schema. */
export function presentEnding(
  { contextTruncated = false, reranked, truncated = false, nextOffset, nextCursor }: Ending,
) {
  return {
    contextTruncated,
    reranked: reranked ?? null,
    truncated,
    nextOffset: nextOffset ?? null,
    nextCursor: nextCursor ?? null,
  };
}

/**
 * Returns the result for a field that is a bare list. Such a field cannot say that its list was truncated, so a
 * truncated list fails instead of passing for a complete one.
 */
export function complete<T extends object>({ value, headers }: Reply<T>): T {
  const { truncated, nextOffset }: Truncation = { ...truncationIn(headers), ...value };
  if (truncated) {
    throw new ServiceError('payload_too_large',
      `the list is too large for one response, which would end before offset ${nextOffset}; ask for fewer items ` +
        'with limit, and for the next ones with offset');
  }
  return value;
}

/** Items that are completed without a pause. */
const STEP = 250;

/**
 * A long list whose items resolve in steps, so that completing thousands of them, one field after the other, does not
 * block the event loop.
 */
export function inSteps<T>(items: readonly T[]): readonly (T | Promise<T>)[] {
  if (items.length <= STEP) return items;
  let turn: Promise<unknown> = Promise.resolve();
  return items.map((item, i) => {
    if (i > 0 && i % STEP === 0) turn = turn.then(() => setImmediate());
    return i < STEP ? item : turn.then(() => item);
  });
}
