import type { DescMethod } from '@bufbuild/protobuf';
import type { handleClientStreamingCall } from '@grpc/grpc-js';
import { ServiceError } from '../../../errors/index.ts';
import type { Spool } from '../../../lib/spool.ts';
import { frameCall } from '../call-frame.ts';
import { codecOf, type DocsAdapter } from './adapter.ts';
import { readMessages } from './stream-messages.ts';

/** One message of the stream, in the form of UploadChunk. */
interface Piece {
  readonly options?: { readonly maxSize?: number };
  readonly file?: { readonly name?: string };
  readonly data?: Uint8Array;
}

const DEFAULT_SIZE = 10 * 1024 * 1024;
const MAX_SIZE = 100 * 1024 * 1024;
const MAX_FILES = 1000;

/**
 * Upload: receives the options first, then for each file its name and its bytes. The files are kept on disk until all
 * have arrived.
 */
export function upload(adapter: DocsAdapter, method: DescMethod): handleClientStreamingCall<Buffer, Buffer> {
  const codec = codecOf(adapter, method);
  return async (call, callback) => {
    const ending = await frameCall(call, adapter, async (caller, sendHead) => {
      const accessWatch = adapter.follow(caller);
      const signal = AbortSignal.any([caller.signal, accessWatch.signal]);
      const spool = adapter.spools.open();
      try {
        await accessWatch.ready;
        const pieces = new Pieces(readMessages(call, codec, signal));
        const options = (await pieces.next())?.options;
        if (options === undefined) throw new ServiceError('invalid_argument', 'options must come first');
        const { value, headers } = await adapter.invoke('uploadFiles', (precheck) =>
          readUpload(options, pieces, { spool, precheck }), { ...caller, signal });
        const response = codec.encode(value, { done: true });
        sendHead(headers);
        return response;
      } finally {
        accessWatch.release();
        await spool.remove();
      }
    });
    if ('value' in ending) callback(null, ending.value);
    else callback(ending.status);
  };
}

interface Reading {
  readonly spool: Spool;
  readonly precheck: (parameters: object) => Promise<void>;
}

/** Returns the flat input of the operation; no file is read before `precheck` resolves. */
async function readUpload(options: NonNullable<Piece['options']>, pieces: Pieces,
  { spool, precheck }: Reading): Promise<object>
{
  await precheck(options);
  const maxBytes = Math.min(options.maxSize ?? DEFAULT_SIZE, MAX_SIZE);
  const files: File[] = [];
  for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
    if (piece.file === undefined)
      throw new ServiceError('invalid_argument',
        piece.options === undefined ? 'file must come before its data' : 'options must come once');
    if (files.length === MAX_FILES)
      throw new ServiceError('payload_too_large', `an upload has at most ${MAX_FILES} files`);
    files.push(await spool.store(pieces.data(), { name: piece.file.name ?? '', maxBytes }));
  }
  return { ...options, ...(files.length === 1 ? { file: files[0] } : files.length > 1 && { 'files[]': files }) };
}

/** The messages of a stream; the bytes of one file can be read as a stream within it. */
class Pieces {
  readonly #messages: AsyncIterator<{ message: Record<string, unknown> }>;
  #ahead: Piece | undefined;

  constructor(messages: AsyncIterable<{ message: Record<string, unknown> }>) {
    this.#messages = messages[Symbol.asyncIterator]();
  }

  /** Returns undefined at the end. */
  async next(): Promise<Piece | undefined> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead !== undefined) return ahead;
    const { done, value } = await this.#messages.next();
    return done === true ? undefined : value.message;
  }

  /** The bytes up to the next message that contains none. */
  async *data(): AsyncGenerator<Uint8Array> {
    for (let piece = await this.next(); piece !== undefined; piece = await this.next()) {
      if (piece.data === undefined) {
        this.#ahead = piece;
        return;
      }
      yield piece.data;
    }
  }
}

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
      errors,
      headers,
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
