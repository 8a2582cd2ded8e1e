import type { DescMethod } from '@bufbuild/protobuf';
import type { handleClientStreamingCall } from '@grpc/grpc-js';
import { ServiceError } from '../../../errors/index.ts';
import { frameCall } from '../call-frame.ts';
import { codecOf, type DocsAdapter } from './adapter.ts';
import { readMessages } from './read-stream.ts';

/** Items that are collected before they are written: the documents of one transaction, or this many bytes of them. */
const MAX_ITEMS = 500;
const MAX_BYTES = 4 * 1024 * 1024;

/** Most lines of `errors`, because a stream has no bound. */
const MAX_ERRORS = 1000;

interface Batch {
  readonly collection: string;
  readonly documents: object[];
  bytes: number;
}

/** The outcome of the stream so far, in the form of AddBatchResponse. */
class Tally {
  added = 0;
  updated = 0;
  failed = 0;
  embeddingDropped = 0;
  sanitized = 0;
  readonly errors: string[] = [];
  /** Number of items in all batches that were written. */
  #items = 0;

  /** Adds the result of a batch; its errors are numbered from the batch's first item. */
  add(items: number, result: Partial<Tally>): void {
    for (const name of ['added', 'updated', 'failed', 'embeddingDropped', 'sanitized'] as const)
      this[name] += result[name] ?? 0;
    for (const line of result.errors ?? []) {
      if (this.errors.length < MAX_ERRORS)
        this.errors.push(line.replace(/^\d+/, (index) => String(Number(index) + this.#items)));
    }
    this.#items += items;
  }

  response(): object {
    const { added, updated, failed, errors, embeddingDropped, sanitized } = this;
    return {
      added,
      updated,
      failed,
      errors,
      ...(embeddingDropped > 0 && { embeddingDropped }),
      ...(sanitized > 0 && { sanitized }),
    };
  }

  /** The error that ended the stream early, with the outcome of what was written before it. */
  interrupted(thrown: unknown): unknown {
    if (!(thrown instanceof ServiceError) || this.#items === 0) return thrown;
    const { message, code, errors, headers, body, cause } = thrown;
    const { added, updated, failed } = this;
    return new ServiceError(code, `${message}; ${added + updated} documents were written before`, {
      cause,
      body: { ...body, added, updated, failed },
      ...(errors && { errors }),
      ...(headers && { headers }),
    });
  }
}

/** AddBatchStream: batches are written one at a time while the stream continues, and only one is in memory. */
export function addBatchStream(adapter: DocsAdapter, method: DescMethod): handleClientStreamingCall<Buffer, Buffer> {
  const codec = codecOf(adapter, method);
  return async (call, callback) => {
    const ending = await frameCall(call, adapter, async (caller, sendHead) => {
      const tally = new Tally();
      const accessWatch = adapter.follow(caller);
      const signal = AbortSignal.any([caller.signal, accessWatch.signal]);
      try {
        await accessWatch.ready;
        for await (const { collection, documents } of batches(readMessages(call, codec, signal, true))) {
          const { value } = await adapter.invoke('addDocuments', { collection, documents }, caller);
          tally.add(documents.length, value as Partial<Tally>);
        }
      } catch (thrown) {
        throw tally.interrupted(thrown);
      } finally {
        accessWatch.release();
      }
      const response = codec.encode(tally.response());
      sendHead();
      return response;
    });
    if ('value' in ending) callback(null, ending.value);
    else callback(ending.status);
  };
}

/** Collects items of one collection. An item without a collection belongs to the collection of the item before it. */
async function* batches(
  items: AsyncIterable<{ message: Record<string, unknown>; bytes: number }>,
): AsyncGenerator<Batch> {
  let batch: Batch = { collection: '', documents: [], bytes: 0 };
  for await (const { message, bytes } of items) {
    const { collection = batch.collection, document = {} } = message as { collection?: string; document?: object };
    if (collection !== batch.collection || batch.documents.length >= MAX_ITEMS || batch.bytes + bytes > MAX_BYTES) {
      if (batch.documents.length > 0) yield batch;
      batch = { collection, documents: [], bytes: 0 };
    }
    batch.documents.push(document);
    batch.bytes += bytes;
  }
  if (batch.documents.length > 0) yield batch;
}
