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
  const { meta = {}, contentMd = '', addedAt, updatedAt, ...rest } = document as Document;
  return { ...rest, meta, contentMd, addedAt: addedAt!, updatedAt: updatedAt! };
}

/** A result of a search with its document in the form of the schema. */
export function withDocument<T extends { readonly document: Document | ProjectedDocument }>(result: T) {
  return { ...result, document: presentDocument(result.document) };
}

/** Number of characters in the documents' bodies. */
export function bodiesOf(documents: readonly GraphqlDocument[]): number {
  return documents.reduce((sum, { contentMd }) => sum + contentMd.length, 0);
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
