import type { DescMethod } from '@bufbuild/protobuf';
import type { handleUnaryCall } from '@grpc/grpc-js';
import { frameCall } from '../call-frame.ts';
import { codecOf, type DocsAdapter } from './adapter.ts';
import type { RpcRow } from './rpcs.ts';

/** An RPC that is one operation: decodes its input, invokes it, encodes its output. */
export function unary(adapter: DocsAdapter, method: DescMethod, row: RpcRow): handleUnaryCall<Buffer, Buffer> {
  const codec = codecOf(adapter, method);
  const { operation, input = (request) => request, output = ({ value }) => value } = row;
  const spec = adapter.operations[operation];
  return async (call, callback) => {
    const ending = await frameCall(call, adapter, async (caller, sendHead) => {
      const request = input(await codec.decodeInput(call.request, spec));
      const reply = await adapter.invoke(operation, request, caller);
      const response = codec.encode(output(reply), { done: spec.effect === 'write' });
      sendHead(reply.headers);
      return response;
    });
    if ('value' in ending) callback(null, ending.value);
    else callback(ending.status);
  };
}
