import { createFileRegistry, type DescMethod, fromBinary, fromJson, type JsonObject, toBinary,
  toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { type CallOptions, type ChannelCredentials, Client, type ClientOptions, credentials, Metadata,
  type ServiceError } from '@grpc/grpc-js';
import { readFileSync } from 'node:fs';

export const IMAGE = readFileSync(new URL('../../generated/proto/docs.binpb', import.meta.url));

/** The descriptors of the gRPC interface, read by a library that is independent of the server's codec. */
export const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, IMAGE));

export interface GrpcClientOptions {
  readonly credentials?: ChannelCredentials;
  readonly channel?: ClientOptions;
}

export interface CallDetails extends CallOptions {
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A client that uses JSON and leaves the encoding to protobuf-es, so that server and test do not share a mistake. */
export class GrpcClient {
  readonly raw: Client;

  constructor(target: string, options: GrpcClientOptions = {}) {
    this.raw = new Client(target, options.credentials ?? credentials.createInsecure(), options.channel ?? {});
  }

  close(): void {
    this.raw.close();
  }

  /** Calls an RPC with one response. Rejects with the library's error. */
  call<T = JsonObject>(rpc: string, request: JsonObject, details: CallDetails = {}): Promise<T> {
    return this.bytes<T>(rpc, encode(rpc, request), details);
  }

  /** Like `call`, with bytes that need not be a message. */
  async bytes<T = JsonObject>(rpc: string, request: Uint8Array, details: CallDetails = {}): Promise<T> {
    return (await this.exchange<T>(rpc, request, details)).response;
  }

  /** Like `bytes`, with the metadata that came before the response. */
  exchange<T = JsonObject>(rpc: string, request: Uint8Array,
    { metadata, ...options }: CallDetails = {}): Promise<{ response: T; head: Metadata }>
  {
    return new Promise((resolve, reject) => {
      let head = new Metadata();
      const call = this.raw.makeUnaryRequest(pathOf(rpc), asIs, asIs, Buffer.from(request), toMetadata(metadata),
        options, (error: ServiceError | null, answer?: Buffer) => {
        if (error === null) resolve({ response: decode(rpc, answer!) as T, head });
        else reject(error);
      });
      call.on('metadata', (received: Metadata) => (head = received));
    });
  }

  /** Opens a stream of responses; `for await` yields bytes, which `decode` reads. */
  stream(rpc: string, request: JsonObject, { metadata, ...options }: CallDetails = {}) {
    return this.raw.makeServerStreamRequest(pathOf(rpc), asIs, asIs, encode(rpc, request), toMetadata(metadata),
      options);
  }

  /** Opens a stream of requests; write `encode(rpc, ...)` to it. */
  send<T = JsonObject>(rpc: string, { metadata, ...options }: CallDetails = {}) {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const call = this.raw.makeClientStreamRequest(pathOf(rpc), asIs, asIs, toMetadata(metadata), options,
      (error: ServiceError | null, answer?: Buffer) => {
        if (error === null) resolve(decode(rpc, answer!) as T);
        else reject(error);
      });
    return { call, answer: promise };
  }
}

const asIs = (bytes: Buffer): Buffer => bytes;

/** The method with a name such as `Add`, of either service. */
export function methodOf(rpc: string): DescMethod {
  for (const service of ['quire.docs.v1.DocumentDB', 'quire.docs.v1.Replication']) {
    const method = registry.getService(service)!.methods.find(({ name }) => name === rpc);
    if (method !== undefined) return method;
  }
  throw new Error(`there is no RPC ${rpc}`);
}

const pathOf = (rpc: string): string => {
  const { parent, name } = methodOf(rpc);
  return `/${parent.typeName}/${name}`;
};

export function encode(rpc: string, request: JsonObject): Buffer {
  const { input } = methodOf(rpc);
  return Buffer.from(toBinary(input, fromJson(input, request)));
}

export function decode<T = JsonObject>(rpc: string, answer: Uint8Array): T {
  const { output } = methodOf(rpc);
  return toJson(output, fromBinary(output, answer), { alwaysEmitImplicit: true }) as T;
}

function toMetadata(values: Readonly<Record<string, string>> = {}): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(values)) metadata.set(name, value);
  return metadata;
}
