import type { DescMethod } from '@bufbuild/protobuf';
import type { handleClientStreamingCall } from '@grpc/grpc-js';
import { ServiceError } from '../../../errors/index.ts';
import { frameCall } from '../call-frame.ts';
import { codecOf, type DocsAdapter } from './adapter.ts';
import { readMessages } from './read-stream.ts';

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
