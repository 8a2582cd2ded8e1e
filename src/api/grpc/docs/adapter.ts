import type { DescMethod } from '@bufbuild/protobuf';
import type { OperationId } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { SpoolFolder } from '../../../lib/spool.ts';
import type { AccessWatch, Caller, Input, OperationSpec, Reply } from '../../../operations/index.ts';
import type { FrameOptions } from '../call-frame.ts';
import { decodeInSteps, decodeMessage, type DecodeOptions } from '../message/decode.ts';
import { encodeMessage } from '../message/encode.ts';
import type { MessagePlan, Schema } from '../message/plan.ts';

/** An event, as Watch sends it; undefined fields are omitted. */
export interface WatchedEvent {
  readonly event: string;
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
  readonly docId: string;
  readonly timestamp: number;
  readonly document?: object;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly seq: number;
}

/** The request of a watcher, in the form of WatchRequest. */
export interface WatchInput {
  readonly collection: string;
  readonly events: readonly string[];
  readonly includeDocument: boolean;
  readonly fromSeq?: number;
}

/** How a node proves that it belongs to this system. */
export interface NodeProof {
  readonly secret?: string;
  /** Whether the connection has a client certificate that was verified. */
  readonly hasCertificate: boolean;
  readonly isAdmin: () => Promise<boolean>;
}

/** The calls between nodes, in the forms of `replication.proto`. */
export interface NodeService {
  /** Throws if the caller is not a node. */
  admit(proof: NodeProof): Promise<void>;
  stream(request: object, address: string, signal: AbortSignal): AsyncIterable<object>;
  snapshot(request: object, address: string, signal: AbortSignal): AsyncIterable<object>;
  acknowledge(request: object, address: string): Promise<object>;
}

/** The calls between nodes that share a database, in the forms of `nodes.proto`. */
export interface SharingService {
  /** Throws if the secret is not that of the nodes. */
  admit(secret: string | undefined): void;
  /** Answers a call for the client of another node. */
  answer(call: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  /** Answers what a search of another node asks of the partitions in memory here. */
  gather(questions: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
}

/** What the RPCs of the document service need. */
export interface DocsAdapter extends FrameOptions {
  readonly schema: Schema;
  readonly operations: Readonly<Record<OperationId, OperationSpec>>;
  readonly invoke: (operation: OperationId, input: Input, caller: Caller) => Promise<Reply<unknown>>;
  /** Throws for callers and inputs that `streamEvents` would refuse. */
  readonly admitToEvents: (input: { readonly collection?: string }, caller: Caller) => Promise<unknown>;
  /**
   * Resolves once the watcher misses no further event, and rejects if the input is not valid. The returned iteration
   * throws the signal's reason when the signal aborts.
   */
  readonly watch: (input: WatchInput, signal: AbortSignal) => Promise<AsyncIterable<WatchedEvent>>;
  /**
   * Monitors the credential of a caller whose stream stays open: `check` is what the stream requires besides a valid
   * credential.
   */
  readonly follow: (caller: Caller, check?: () => Promise<unknown>) => AccessWatch;
  /** Absent if the service takes no part in replication. */
  readonly nodes?: NodeService | undefined;
  /** Absent if this node shares no indexes with others. */
  readonly sharing?: SharingService | undefined;
  /** Whether connections have client certificates that are verified. */
  readonly mutualTls?: boolean;
  /** Whether callers are authenticated at all. */
  readonly authenticates?: boolean;
  readonly maxMessageBytes: number;
  /** Where files are stored while their call is processed. */
  readonly spools: SpoolFolder;
}

/** Reads requests and writes responses of one RPC. */
export interface Codec {
  decode(bytes: Uint8Array, options?: DecodeOptions): Record<string, unknown>;
  /** The same for a message of an operation, within its limits; a long one in steps. */
  decodeInput(bytes: Uint8Array, spec: OperationSpec): Promise<Record<string, unknown>>;
  /**
   * Throws if the message is larger than clients may request; the response to a write (`done`) is sent whatever its
   * size.
   */
  encode(value: unknown, options?: { readonly done?: boolean }): Buffer;
}

export function codecOf({ schema, maxMessageBytes }: Pick<DocsAdapter, 'schema' | 'maxMessageBytes'>,
  method: DescMethod): Codec
{
  const [input, output] = [schema.plan(method.input), schema.plan(method.output)];
  return {
    decode: (bytes, options) => decodeMessage(bytes, input, options) as Record<string, unknown>,
    decodeInput: async (bytes, { maxBody = Infinity, maxValues, sanitize }) => {
      if (bytes.length > maxBody)
        throw new ServiceError('payload_too_large',
          `the message has ${bytes.length} bytes, more than the ${maxBody} that ${method.name} takes; send less at ` +
            'once');
      return await decodeInSteps(bytes, input, { repairText: sanitize, maxValues }) as Record<string, unknown>;
    },
    encode: (value, { done = false } = {}) => encode(value, output, done ? Number.POSITIVE_INFINITY : maxMessageBytes),
  };
}

function encode(value: unknown, plan: MessagePlan, maxBytes: number): Buffer {
  const bytes = encodeMessage(value ?? {}, plan);
  if (bytes.length > maxBytes) {
    throw new ServiceError('payload_too_large',
      `the response has ${bytes.length} bytes, more than the ${maxBytes} of a message; ask for less at once`);
  }
  return bytes;
}
