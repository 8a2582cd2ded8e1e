import type { DescMethod } from '@bufbuild/protobuf';
import type { handleClientStreamingCall } from '@grpc/grpc-js';
import { ServiceError } from '../../../errors/index.ts';
import { frameCall } from '../call-frame.ts';
import { codecOf, type DocsAdapter } from './adapter.ts';
import { readMessages } from './read-stream.ts';

/**
 * Upload: options first, then files. Its operation has no handler yet, so the call ends
 * with Unimplemented as soon as the options are read, and the library throws away what else comes. A
 * handler will be given the pieces that follow, in place of the form that HTTP sends.
 */
export function fileStream(adapter: DocsAdapter, method: DescMethod, operation: 'uploadFiles'): handleClientStreamingCall<Buffer, Buffer> {
  const codec = codecOf(adapter, method);
  return async (call, callback) => {
    const ending = await frameCall(call, adapter, async (caller, sendHead) => {
      const standing = adapter.follow(caller);
      const pieces = readMessages(call, codec, AbortSignal.any([caller.signal, standing.signal]));
      const first = await pieces.next().finally(() => standing.release());
      const options = (first.value as { message: { options?: object } } | undefined)?.message.options;
      if (options === undefined) throw new ServiceError('invalid_argument', 'options must come first');
      const reply = await adapter.invoke(operation, options, caller);
      const response = codec.encode(reply.value);
      sendHead(reply.headers);
      return response;
    });
    if ('value' in ending) callback(null, ending.value);
    else callback(ending.status);
  };
}
