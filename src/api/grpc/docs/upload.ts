import type { DescMethod } from '@bufbuild/protobuf';
import type { handleClientStreamingCall } from '@grpc/grpc-js';
import { ServiceError } from '../../../errors/index.ts';
import type { Spool } from '../../../lib/spool.ts';
import { frameCall } from '../call-frame.ts';
import { codecOf, type DocsAdapter } from './adapter.ts';
import { readMessages } from './read-stream.ts';

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
