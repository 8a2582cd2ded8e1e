import type { DescMethod } from '@bufbuild/protobuf';
import type { handleClientStreamingCall, handleServerStreamingCall } from '@grpc/grpc-js';
import { ServiceError } from '../../../errors/index.ts';
import type { Caller, Download } from '../../../operations/index.ts';
import { frameCall } from '../call-frame.ts';
import { codecOf, type DocsAdapter, type WatchInput } from './adapter.ts';
import { failStream, readMessages, writeMessage } from './stream-messages.ts';

/** Bytes of a message: large enough for low overhead, small enough not to delay other calls of the connection. */
const PIECE = 64 * 1024;

/** Export: sends the file in pieces, which are made while the client reads them. */
export function exportFile(adapter: DocsAdapter, method: DescMethod): handleServerStreamingCall<Buffer, Buffer> {
  const codec = codecOf(adapter, method);
  return async (call) => {
    const ending = await frameCall(call, adapter, async (caller, sendHead) => {
      const reply = await adapter.invoke('exportDocuments',
        await codec.decodeInput(call.request, adapter.operations.exportDocuments), caller);
      const { contentType, fileName = '', content } = reply.value as Download;
      sendHead(reply.headers);
      // The first piece is always sent, so that an empty file has a name, too.
      let names: object = { contentType, fileName };
      for await (const data of pieces(typeof content === 'string' ? [Buffer.from(content)] : content)) {
        await writeMessage(call, codec.encode({ data, ...names }), caller.signal);
        names = {};
      }
      if ('contentType' in names) await writeMessage(call, codec.encode(names), caller.signal);
    });
    if ('value' in ending) call.end();
    else failStream(call, ending.status);
  };
}

async function* pieces(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    for (let start = 0; start < chunk.length; start += PIECE) yield chunk.subarray(start, start + PIECE);
  }
}

/**
 * Watch: sends the events of the change feed until the client disconnects, the server stops, or the caller's permission
 * or credential ends.
 */
export function watch(adapter: DocsAdapter, method: DescMethod): handleServerStreamingCall<Buffer, Buffer> {
  const codec = codecOf(adapter, method);
  return async (call) => {
    const ending = await frameCall(call, adapter, async (caller, sendHead) => {
      const { collection = '', events = [], includeDocument = false, fromSeq } = codec.decode(call.request) as Partial<
        WatchInput
      >;
      const accessWatch = adapter.follow(caller, () => authorize(adapter, collection, caller));
      const signal = AbortSignal.any([caller.signal, accessWatch.signal]);
      try {
        await accessWatch.ready;
        const stream = await adapter.watch({ collection, events, includeDocument, fromSeq }, signal);
        // The initial metadata tells the client that it misses no event from now on; the first event may come much
        // later.
        sendHead();
        for await (const event of stream) await writeMessage(call, codec.encode(event), signal);
      } finally {
        accessWatch.release();
      }
    });
    if ('value' in ending) call.end();
    else failStream(call, ending.status);
  };
}

/**
 * Watch is `streamEvents` over gRPC, and takes its permission. All collections are for callers that may see the
 * server's configurations, because a watcher's events are not filtered by what the caller may read.
 */
async function authorize({ invoke, admitToEvents }: DocsAdapter, collection: string, caller: Caller): Promise<void> {
  if (collection === '') await invoke('listEmbeddingConfigs', {}, caller);
  await admitToEvents(collection === '' ? {} : { collection }, caller);
}

interface Chunk {
  readonly options?: object;
  readonly data?: Uint8Array;
}

/** ImportWiki: receives the options first, then the bytes of the dump, no faster than the operation reads them. */
export function wikiStream(adapter: DocsAdapter, method: DescMethod): handleClientStreamingCall<Buffer, Buffer> {
  const codec = codecOf(adapter, method);
  return async (call, callback) => {
    const ending = await frameCall(call, adapter, async (caller, sendHead) => {
      const accessWatch = adapter.follow(caller);
      const signal = AbortSignal.any([caller.signal, accessWatch.signal]);
      try {
        const pieces = readMessages(call, codec, signal) as AsyncGenerator<{ message: Chunk }>;
        const first = await pieces.next();
        const options = (first.value as { message: Chunk } | undefined)?.message.options;
        if (options === undefined) throw new ServiceError('invalid_argument', 'options must come first');
        const file = { [Symbol.asyncIterator]: () => dataOf(pieces) };
        const reply = await adapter.invoke('importWiki', { ...options, file }, { ...caller, signal });
        const response = codec.encode(reply.value);
        sendHead(reply.headers);
        return response;
      } finally {
        accessWatch.release();
      }
    });
    if ('value' in ending) callback(null, ending.value);
    else callback(ending.status);
  };
}

async function* dataOf(pieces: AsyncIterable<{ message: Chunk }>): AsyncGenerator<Uint8Array> {
  for await (const { message } of pieces) {
    if (message.options !== undefined) throw new ServiceError('invalid_argument', 'options must come once');
    if (message.data !== undefined) yield message.data;
  }
}
