import { fromBinary, type JsonObject, toJson } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { OperationId } from '../../generated/docs/operations.ts';
import { RPCS } from '../../src/api/grpc/docs/rpcs.ts';
import { encode, GrpcClient, methodOf } from '../../src/testkit/grpc-client.ts';
import { type Credential, type Driver, type Failure, Inexpressible, type Input, LISTS, reasonOf } from './driver.ts';
import { fromProtoJson, toProtoJson, withDefaults } from './proto-json.ts';

const RPC_OF = new Map(Object.entries(RPCS).map(([rpc, { operation }]) => [operation, rpc]));

/** The gRPC status of each HTTP status (decisions, section 4.12). */
const STATUS_OF: Readonly<Record<number, keyof typeof status>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  412: 'ABORTED',
  413: 'RESOURCE_EXHAUSTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
};

/** gRPC through the published descriptors, with a codec that is independent of the server's. */
export function grpcDriver(target: string, credential: Credential = {}): Driver {
  // Clients accept 4 MiB by default.
  const client = new GrpcClient(target, { channel: { 'grpc.max_receive_message_length': -1 } });
  return {
    protocol: 'gRPC',
    lacks: (operation, input) => reasonOf(() => void encodeInput(operation, input)),
    async call(operation, input) {
      const { rpc, request } = encodeInput(operation, input);
      try {
        const bytes = await exchange(client, rpc, request, credential);
        return { value: decodeAnswer(operation, rpc, bytes) };
      } catch (error) {
        return { failure: failureOf(error as ServiceError) };
      }
    },
    view(operation, outcome) {
      if ('failure' in outcome) return { failure: viewOfFailure(outcome.failure) };
      return { value: viewOf(operation, outcome.value) };
    },
    close: () => Promise.resolve(client.close()),
  };
}

const asIs = (bytes: Buffer): Buffer => bytes;

function exchange({ raw }: GrpcClient, rpc: string, request: Buffer, credential: Credential): Promise<Buffer> {
  const { parent, name } = methodOf(rpc);
  const metadata = new Metadata();
  for (const [header, value] of Object.entries(credential)) metadata.set(header.toLowerCase(), value);
  return new Promise((resolve, reject) => {
    raw.makeUnaryRequest(`/${parent.typeName}/${name}`, asIs, asIs, request, metadata,
      (error, answer) => (error === null ? resolve(answer!) : reject(error)));
  });
}

function encodeInput(operation: OperationId, input: Input): { rpc: string; request: Buffer } {
  const rpc = RPC_OF.get(operation);
  if (rpc === undefined) throw new Inexpressible(`no RPC is ${operation}`);
  const request = toProtoJson(methodOf(rpc).input,
    operation === 'setCollectionConfig' ? clearing(input) : withEdits(input));
  return { rpc, request: encode(rpc, request as JsonObject) };
}

/** A word that JSON allows instead of a number has a field of its own. */
function withEdits({ fuzzy, ...input }: Input): Input {
  return fuzzy === 'auto' ? { ...input, fuzzyAuto: true } : fuzzy === undefined ? input : { ...input, fuzzy };
}

/** The fields that are merged one by one. */
const MERGED = ['retrieval', 'vectors'] as const;

/** `clear` names the fields that are null in JSON. */
function clearing(input: Input): Input {
  const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const message = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  const clear = Object.keys(input).filter((name) => input[name] === null).map(snake);
  for (const name of MERGED) {
    const inner = Object.entries((input[name] ?? {}) as Input);
    if (inner.length === 0) continue;
    message[name] = Object.fromEntries(inner.filter(([, value]) => value !== null));
    clear.push(
      ...inner.filter(([, value]) => value === null).map(([key]) => `${name}.${name === 'vectors' ? key : snake(key)}`),
    );
  }
  return clear.length === 0 ? message : { ...message, clear };
}

function decodeAnswer(operation: OperationId, rpc: string, bytes: Buffer): unknown {
  const { output } = methodOf(rpc);
  const value = fromProtoJson(output, toJson(output, fromBinary(output, bytes), { alwaysEmitImplicit: true }));
  if (LISTS[operation] === undefined) return value;
  const { totalCount, ...rest } = value as Input;
  return { ...rest, total: totalCount };
}

function viewOf(operation: OperationId, value: unknown): unknown {
  const { output } = methodOf(RPC_OF.get(operation)!);
  if (LISTS[operation] !== undefined) {
    const { totalCount: _, ...answer } = withDefaults(output, value) as Input;
    return answer;
  }
  if (operation === 'listCurationRules' && !('rules' in (value as Input)))
    return withDefaults(output, { rules: [value], total: 1 });
  if (operation === 'createEmbeddingConfig') {
    const { configs: _, truncated: _truncated, nextOffset: _nextOffset, ...config } = value as Input;
    return withDefaults(output, config);
  }
  return withDefaults(output, value ?? {});
}

function failureOf({ code, details, metadata }: ServiceError): Failure {
  const [rich] = metadata.get('grpc-status-details-bin');
  const errors = rich === undefined ? [] : violationsOf(rich as Buffer).filter((line) => line !== details);
  return {
    code: String(metadata.get('quire-code')[0] ?? ''),
    message: details,
    status: status[code]!,
    ...(errors.length > 0 && { errors: compared(errors) }),
  };
}

function viewOfFailure({ errors, status: http, ...failure }: Failure): Failure {
  return { ...failure, status: STATUS_OF[Number(http)]!, ...(errors && { errors: compared(errors) }) };
}

/** Metadata has space for some violations only; each violation repeats the description for each field. */
function compared(errors: readonly string[]): string[] {
  return [...new Set(errors.map((line) => line.slice(0, 150)))].slice(0, 5);
}

/** The descriptions of google.rpc.BadRequest in a google.rpc.Status. */
function violationsOf(rich: Uint8Array): string[] {
  const details = fieldsOf(rich, 3).map((any) => ({
    type: Buffer.from(fieldsOf(any, 1)[0]!).toString(),
    value: fieldsOf(any, 2)[0]!,
  }));
  const violations = details.filter(({ type }) => type.endsWith('google.rpc.BadRequest')).flatMap(({ value }) =>
    fieldsOf(value, 1)
  );
  return violations.flatMap((each) => fieldsOf(each, 2)).map((text) => Buffer.from(text).toString());
}

/** The values of a field that is text or a message. */
function fieldsOf(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new BinaryReader(bytes);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === wanted) found.push(reader.bytes());
    else reader.skip(wireType);
  }
  return found;
}
