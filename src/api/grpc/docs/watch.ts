import type { DescMethod } from '@bufbuild/protobuf';
import type { handleServerStreamingCall } from '@grpc/grpc-js';
import type { Caller } from '../../../operations/index.ts';
import { frameCall } from '../call-frame.ts';
import { codecOf, type DocsAdapter, type WatchInput } from './adapter.ts';
import { failStream, writeMessage } from './write-stream.ts';

/** Watch: the events of the change feed, until the client goes, the server stops, or the caller's right or credential ends. */
export function watch(adapter: DocsAdapter, method: DescMethod): handleServerStreamingCall<Buffer, Buffer> {
  const codec = codecOf(adapter, method);
  return async (call) => {
    const ending = await frameCall(call, adapter, async (caller, sendHead) => {
      const { collection = '', events = [], includeDocument = false, fromSeq } = codec.decode(call.request) as Partial<WatchInput>;
      const standing = adapter.follow(caller, () => authorize(adapter, collection, caller));
      const signal = AbortSignal.any([caller.signal, standing.signal]);
      try {
        await standing.ready;
        const stream = await adapter.watch({ collection, events, includeDocument, ...(fromSeq !== undefined && { fromSeq }) }, signal);
        // The head tells the client that nothing escapes it from now on, which may be long before the first event.
        sendHead();
        for await (const event of stream) await writeMessage(call, codec.encode(event), signal);
      } finally {
        standing.release();
      }
    });
    if ('value' in ending) call.end();
    else failStream(call, ending.status);
  };
}

/**
 * Watch is no operation, so an operation that asks for the same right stands in for it: whoever may search
 * a collection may watch it, and whoever may see the server's configurations may watch all of them.
 */
async function authorize({ invoke }: DocsAdapter, collection: string, caller: Caller): Promise<void> {
  if (collection === '') await invoke('listEmbeddingConfigs', {}, caller);
  else await invoke('searchDocuments', { collection, limit: 0 }, caller);
}
