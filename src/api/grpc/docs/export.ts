import type { DescMethod } from '@bufbuild/protobuf';
import type { handleServerStreamingCall } from '@grpc/grpc-js';
import type { Download } from '../../../operations/index.ts';
import { frameCall } from '../call-frame.ts';
import { codecOf, type DocsAdapter } from './adapter.ts';
import { failStream, writeMessage } from './write-stream.ts';

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
