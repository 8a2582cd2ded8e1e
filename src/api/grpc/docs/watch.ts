import type { DescMethod } from '@bufbuild/protobuf';
import type { handleServerStreamingCall } from '@grpc/grpc-js';
import type { Caller } from '../../../operations/index.ts';
import { frameCall } from '../call-frame.ts';
import { codecOf, type DocsAdapter, type WatchInput } from './adapter.ts';
import { failStream, writeMessage } from './write-stream.ts';

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
        const stream = await adapter.watch({
          collection,
          events,
          includeDocument,
          ...(fromSeq !== undefined && { fromSeq }),
        }, signal);
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
