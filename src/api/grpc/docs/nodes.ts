import type { DescMethod } from '@bufbuild/protobuf';
import type { sendUnaryData, ServerUnaryCall, ServerWritableStream, UntypedHandleCall } from '@grpc/grpc-js';
import { ServiceError } from '../../../errors/index.ts';
import type { Caller } from '../../../operations/index.ts';
import { frameCall } from '../call-frame.ts';
import { text } from '../request.ts';
import { type Codec, codecOf, type DocsAdapter, type NodeService, type SharingService } from './adapter.ts';
import { failStream, writeMessage } from './stream-messages.ts';

const SECRET = 'x-svc-replication-secret';

/**
 * A stream between nodes is open for days; after this many milliseconds, its caller is admitted again before the next
 * message.
 */
const ADMIT_AGAIN_MS = 500;

type AnyNodeCall = ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>;

/** The calls between nodes of one system. They are not operations, because clients take no part in them. */
export function nodeRpc(adapter: DocsAdapter, method: DescMethod): UntypedHandleCall {
  if (method.name === 'Ask' || method.name === 'Gather')
    return SHARED[method.name](adapter, method) as UntypedHandleCall;
  if (method.name === 'AcknowledgeLSN') return acknowledge(adapter, method) as UntypedHandleCall;
  const open = method.name === 'StreamBinlog' ? 'stream' : 'snapshot';
  return stream(adapter, method,
    (nodes, request, address, signal) => nodes[open](request, address, signal)) as UntypedHandleCall;
}

/** Zeros are not on the wire, but they are meaningful here. */
function readRequest({ schema }: DocsAdapter, method: DescMethod, codec: Codec, bytes: Buffer): object {
  const zeros = schema.plan(method.input).fields.map(({ name, kind }) => [name, kind === 'string' ? '' : 0]);
  return { ...Object.fromEntries(zeros), ...codec.decode(bytes) };
}

function acknowledge(adapter: DocsAdapter, method: DescMethod) {
  const codec = codecOf(adapter, method);
  return async (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): Promise<void> => {
    const ending = await frameCall(call, adapter, async (caller) => {
      const nodes = await admit(adapter, call, caller);
      return codec.encode(await nodes.acknowledge(readRequest(adapter, method, codec, call.request), call.getPeer()));
    });
    if ('value' in ending) answer(null, ending.value);
    else answer(ending.status);
  };
}

type Shares = (sharing: SharingService, request: Uint8Array, signal: AbortSignal) => Promise<object>;

/** Calls with a message of bytes between the nodes that share a database. */
const SHARED = {
  /** The call of a client of another node, whose rights are decided by the operation. */
  Ask: (adapter: DocsAdapter, method: DescMethod) =>
    share(adapter, method, 'call', async (sharing, call, signal) => ({ answer: await sharing.answer(call, signal) })),
  Gather: (adapter: DocsAdapter, method: DescMethod) =>
    share(adapter, method, 'questions', async (sharing, questions, signal) => ({
      answers: await sharing.gather(questions, signal),
    })),
};

function share(adapter: DocsAdapter, method: DescMethod, field: string, answerFrom: Shares) {
  const codec = codecOf({ ...adapter, maxMessageBytes: Number.POSITIVE_INFINITY }, method);
  return async (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): Promise<void> => {
    const ending = await frameCall(call, adapter, async ({ signal = NEVER }) => {
      const { sharing } = adapter;
      if (sharing === undefined) throw new ServiceError('not_implemented', 'this server shares no indexes with others');
      sharing.admit(text(call.metadata, SECRET));
      const { [field]: asked = NOTHING } = codec.decode(call.request) as Record<string, Uint8Array>;
      return codec.encode(await answerFrom(sharing, asked, signal));
    });
    if ('value' in ending) answer(null, ending.value);
    else answer(ending.status);
  };
}

const NEVER = new AbortController().signal;
const NOTHING = new Uint8Array();

type Opens = (nodes: NodeService, request: object, address: string, signal: AbortSignal) => AsyncIterable<object>;

/** Back-pressure: the next message is taken from the source only when the previous one has been sent. */
function stream(adapter: DocsAdapter, method: DescMethod, open: Opens) {
  // Pieces have their own size limit; the limit for clients does not apply.
  const codec = codecOf({ ...adapter, maxMessageBytes: Number.POSITIVE_INFINITY }, method);
  return async (call: ServerWritableStream<Buffer, Buffer>): Promise<void> => {
    const ending = await frameCall(call, adapter, async (caller, sendHead) => {
      const nodes = await admit(adapter, call, caller);
      let admittedAt = performance.now();
      let isFirst = true;
      for await (const message of open(nodes, readRequest(adapter, method, codec, call.request), call.getPeer(),
        caller.signal))
      {
        if (performance.now() - admittedAt >= ADMIT_AGAIN_MS) {
          await admit(adapter, call, caller);
          admittedAt = performance.now();
        }
        if (isFirst) sendHead();
        isFirst = false;
        await writeMessage(call, codec.encode(message), caller.signal);
      }
    });
    if ('value' in ending) call.end();
    else failStream(call, ending.status);
  };
}

async function admit({ nodes, mutualTls = false, authenticates = false, invoke }: DocsAdapter, call: AnyNodeCall,
  caller: Caller): Promise<NodeService>
{
  if (nodes === undefined) throw new ServiceError('not_implemented', 'this server has no part in replication');
  await nodes.admit({
    secret: text(call.metadata, SECRET),
    hasCertificate: mutualTls && call.getAuthContext().sslPeerCertificate !== undefined,
    // The permission of an operation for administrators is checked instead, because these RPCs are not operations.
    isAdmin: async () =>
      authenticates && (await invoke('getReplicationStatus', {}, caller).then(() => true, () => false)),
  });
  return nodes;
}
