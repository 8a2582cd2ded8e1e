import type { DescMethod, DescService } from '@bufbuild/protobuf';
import type { handleUnaryCall, MethodDefinition, Server, ServiceDefinition, UntypedHandleCall } from '@grpc/grpc-js';
import { type OperationId, operations as table } from '../../../../generated/docs/operations.ts';
import type { OperationSpec } from '../../../operations/index.ts';
import { frameCall } from '../call-frame.ts';
import type { Schema } from '../message/plan.ts';
import { codecOf, type DocsAdapter } from './adapter.ts';
import { addBatchStream, upload } from './client-streams.ts';
import { nodeRpc } from './nodes.ts';
import { type RpcRow, RPCS } from './rpcs.ts';
import { exportFile, watch, wikiStream } from './streams.ts';

const operations: Readonly<Record<string, OperationSpec>> = table;

/** The services of the document service, by their full names. */
export const DOCS_SERVICES = ['quire.docs.v1.DocumentDB', 'quire.docs.v1.Replication',
  'quire.docs.v1.NodeService'] as const;

/** Calls that are exempt from the rate limit: monitoring must work when the server is busy, too. */
export const UNLIMITED_RPCS: ReadonlySet<string> = new Set([
  ...Object.entries(RPCS).filter(([, { operation }]) => operations[operation]?.probe !== undefined).map(([name]) =>
    `/${DOCS_SERVICES[0]}/${name}`
  ),
  // Followers authenticate themselves, and a rejected call would make one fall behind.
  ...['RequestSnapshot', 'StreamBinlog', 'AcknowledgeLSN'].map((name) => `/${DOCS_SERVICES[1]}/${name}`),
  // The node that asks has counted the request of its client.
  `/${DOCS_SERVICES[2]}/Ask`,
  `/${DOCS_SERVICES[2]}/Gather`,
  '/grpc.health.v1.Health/Check',
  '/grpc.health.v1.Health/List',
  '/grpc.health.v1.Health/Watch',
]);

interface StreamRow {
  readonly make: (adapter: DocsAdapter, method: DescMethod) => UntypedHandleCall;
  /** The operation that it is a variant of. */
  readonly operation?: OperationId;
}

/** The RPCs that are not one operation each. */
export const STREAMS: Readonly<Record<string, StreamRow>> = {
  AddBatchStream: { make: addBatchStream, operation: 'addDocuments' },
  Export: { make: exportFile, operation: 'exportDocuments' },
  Watch: { make: watch },
  Upload: { make: upload, operation: 'uploadFiles' },
  ImportWiki: { make: (adapter, method) => wikiStream(adapter, method), operation: 'importWiki' },
  RequestSnapshot: { make: nodeRpc },
  StreamBinlog: { make: nodeRpc },
  AcknowledgeLSN: { make: nodeRpc },
  Ask: { make: nodeRpc },
  Gather: { make: nodeRpc },
};

/** RPCs without a handler, each with the reason; the library returns Unimplemented for them. */
export const UNSERVED: Readonly<Record<string, string>> = {};

/** The handlers of RPCs that are not operations. */
const PURPOSES: Readonly<Record<string, string>> = {
  Watch: 'Report changes to documents as they happen',
  RequestSnapshot: 'Send a snapshot of the database to a follower',
  StreamBinlog: 'Send changes to a follower as they are committed',
  AcknowledgeLSN: 'Report to the leader what a follower has on disk',
  Ask: 'Answer a read for a client of another node',
  Gather: 'Answer what a search at another node asks of the partitions in memory here',
};

/** Every RPC by its full name, with its handler. */
export function describeRpcs(
  { schema, operations }: Pick<DocsAdapter, 'schema' | 'operations'>,
): { name: string; description: string }[] {
  return methodsOf(schema).map(({ name, parent }) => {
    const operation = RPCS[name]?.operation ?? STREAMS[name]?.operation;
    return {
      name: `${parent.typeName}/${name}`,
      description: operation === undefined ? (PURPOSES[name] ?? '') : operations[operation].summary,
    };
  });
}

const methodsOf = (schema: Schema): DescMethod[] => DOCS_SERVICES.flatMap((name) => serviceOf(schema, name).methods);

function serviceOf(schema: Schema, name: string): DescService {
  const service = schema.registry.getService(name);
  if (service === undefined) throw new Error(`the image lacks the service ${name}`);
  return service;
}

/** Serves every RPC of the document service. Throws if one has neither a handler nor a reason. */
export function addDocsServices(server: Server, adapter: DocsAdapter): void {
  for (const name of DOCS_SERVICES) {
    const service = serviceOf(adapter.schema, name);
    server.addService(definitionOf(service), implementationOf(adapter, service));
  }
}

function implementationOf(adapter: DocsAdapter, service: DescService): Record<string, UntypedHandleCall> {
  const handlers: Record<string, UntypedHandleCall> = {};
  for (const method of service.methods) {
    const row = RPCS[method.name];
    const stream = STREAMS[method.name];
    if (row !== undefined) handlers[method.name] = unary(adapter, method, row) as UntypedHandleCall;
    else if (stream !== undefined) handlers[method.name] = stream.make(adapter, method);
    else if (UNSERVED[method.name] === undefined) throw new Error(`nothing serves ${method.name}`);
  }
  return handlers;
}

/**
 * Messages pass through the library as bytes. The adapter reads and writes them, because its errors name fields and the
 * library's do not.
 */
export function definitionOf(service: DescService): ServiceDefinition {
  return Object.fromEntries(service.methods.map((method) => [method.name, methodOf(service, method)]));
}

const asIs = (bytes: Buffer): Buffer => bytes;

function methodOf(service: DescService, { name, methodKind }: DescMethod): MethodDefinition<Buffer, Buffer> {
  return {
    path: `/${service.typeName}/${name}`,
    requestStream: methodKind === 'client_streaming' || methodKind === 'bidi_streaming',
    responseStream: methodKind === 'server_streaming' || methodKind === 'bidi_streaming',
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
}

/** An RPC that is one operation: decodes its input, invokes it, encodes its output. */
function unary(adapter: DocsAdapter, method: DescMethod, row: RpcRow): handleUnaryCall<Buffer, Buffer> {
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
