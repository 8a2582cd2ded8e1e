import type { DescMethod } from '@bufbuild/protobuf';
import { type ChannelCredentials, Client, type ClientOptions, credentials, Metadata, type ServiceError as GrpcError,
  status } from '@grpc/grpc-js';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { type ErrorCode, ERRORS, ServiceError } from '../../errors/index.ts';
import { type Address, formatAddress } from '../../lib/address.ts';
import type { TlsMaterial } from '../../lib/tls.ts';
import { decodeMessage } from './message/decode.ts';
import { encodeMessage } from './message/encode.ts';
import type { Schema } from './message/plan.ts';

export interface NodeLinkOptions {
  readonly address: Address;
  readonly schema: Schema;
  /** Sent with every call; empty for no secret. */
  readonly secret: string;
  /** The certificate that this node presents, and the authority that it trusts; without them, plain text. */
  readonly tls?: TlsMaterial | undefined;
}

/** Most milliseconds of a call with one response. */
const DEADLINE_MS = 20_000;

/**
 * The follower decides when to reconnect, not the library. A leader that disappeared without closing its connection is
 * detected.
 */
const CHANNEL: ClientOptions = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // The answer of an operation has the limit of its protocol.
  'grpc.max_receive_message_length': -1,
};

const REPLICATION = 'quire.docs.v1.Replication';
const NODES = 'quire.docs.v1.NodeService';

type Message = Record<string, unknown>;

/** Fields that every message has, even if they were omitted on the wire. */
const ENTRY = {
  type: '',
  lsn: 0,
  position: 0,
  timestamp: 0,
  value: new Uint8Array(),
  txnEnd: false,
  epoch: 0,
  leaderPosition: 0,
  sentAt: 0,
};
const PIECE = { data: new Uint8Array(), offset: 0, totalSize: 0, isLast: false, snapshotLsn: 0, checksum: 0 };
const ANSWER = { epoch: 0, fencedBy: 0 };

/** Client side of the RPCs between nodes. Connects with the first call. */
export class NodeLink {
  readonly #client: Client;
  readonly #schema: Schema;
  readonly #secret: string;

  constructor({ address, schema, secret, tls }: NodeLinkOptions) {
    const host = address.kind === 'tcp' ? (address.host ?? 'localhost') : '';
    const target = address.kind === 'unix' ? formatAddress(address) : formatAddress({ ...address, host });
    // The library would send the server's IP address as the TLS server name, which TLS does not allow; the certificate
    // is checked nevertheless.
    const byAddress = tls !== undefined && isIP(host) !== 0;
    this.#client = new Client(target, credentialsOf(tls, byAddress ? host : undefined),
      byAddress ? { ...CHANNEL, 'grpc.ssl_target_name_override': 'node.invalid' } : CHANNEL);
    this.#schema = schema;
    this.#secret = secret;
  }

  async *stream(request: object, signal: AbortSignal): AsyncGenerator<typeof ENTRY> {
    for await (const message of this.#stream('StreamBinlog', request, signal)) yield { ...ENTRY, ...message };
  }

  async *snapshot(request: object, signal: AbortSignal): AsyncGenerator<typeof PIECE> {
    for await (const message of this.#stream('RequestSnapshot', request, signal)) yield { ...PIECE, ...message };
  }

  async acknowledge(request: object, signal: AbortSignal): Promise<typeof ANSWER> {
    return { ...ANSWER, ...await this.#unary(this.#method('AcknowledgeLSN'), request, signal) };
  }

  /** Has the other node answer a call for a client of this one; both in JSON. */
  async ask(call: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const { answer } = await this.#unary(this.#method('Ask', NODES), { call }, signal);
    return answer as Uint8Array;
  }

  /** Asks parts of collections in the memory of the other node; both as the nodes serialize them. */
  async gather(questions: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const { answers } = await this.#unary(this.#method('Gather', NODES), { questions }, signal);
    return answers as Uint8Array;
  }

  close(): void {
    this.#client.close();
  }

  #unary(method: DescMethod, request: object, signal: AbortSignal): Promise<Message> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => call.cancel();
      const call = this.#client.makeUnaryRequest(pathOf(method), asIs, asIs, this.#encode(method, request),
        this.#metadata(), { deadline: Date.now() + DEADLINE_MS }, (error, answer) => {
        signal.removeEventListener('abort', onAbort);
        if (error === null) resolve(this.#decode(method, answer!));
        else reject(toServiceError(error));
      });
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) call.cancel();
    });
  }

  /** Back-pressure: the next message is read when the previous one has been processed, which slows the leader down. */
  async *#stream(rpc: string, request: object, signal: AbortSignal): AsyncGenerator<Message> {
    signal.throwIfAborted();
    const method = this.#method(rpc);
    const call = this.#client.makeServerStreamRequest(pathOf(method), asIs, asIs, this.#encode(method, request),
      this.#metadata());
    const onAbort = (): void => call.cancel();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const bytes of call as AsyncIterable<Buffer>) yield this.#decode(method, bytes);
    } catch (error) {
      throw isGrpcError(error) ? toServiceError(error) : error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      call.cancel();
    }
  }

  #method(name: string, service = REPLICATION): DescMethod {
    return this.#schema.registry.getService(service)!.methods.find((method) => method.name === name)!;
  }

  #encode(method: DescMethod, request: object): Buffer {
    return encodeMessage(request, this.#schema.plan(method.input));
  }

  #decode(method: DescMethod, bytes: Buffer): Message {
    return decodeMessage(bytes, this.#schema.plan(method.output), { maxValues: Infinity }) as Message;
  }

  #metadata(): Metadata {
    const metadata = new Metadata();
    if (this.#secret !== '') metadata.set('x-svc-replication-secret', this.#secret);
    return metadata;
  }
}

const asIs = (bytes: Buffer): Buffer => bytes;

const pathOf = ({ parent, name }: DescMethod): string => `/${parent.typeName}/${name}`;

function credentialsOf(tls: TlsMaterial | undefined, host: string | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure();
  const isOfHost: typeof checkServerIdentity = (_name, certificate) => checkServerIdentity(host!, certificate);
  return credentials.createSsl(tls.clientCa ?? null, tls.key, tls.cert,
    host === undefined ? undefined : { checkServerIdentity: isOfHost });
}

const isGrpcError = (error: unknown): error is GrpcError =>
  error instanceof Error && 'code' in error && 'metadata' in error;

/** The error that the other node threw, by its code; `unavailable` if there is no code. */
function toServiceError(error: GrpcError): ServiceError {
  const [code] = error.metadata?.get('quire-code') ?? [];
  const known = typeof code === 'string' && code in ERRORS ? (code as ErrorCode) : 'unavailable';
  return new ServiceError(known, `${status[error.code]}: ${error.details}`, { cause: error });
}
