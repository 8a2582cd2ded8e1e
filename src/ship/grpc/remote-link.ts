import { create, type DescMessage, type DescMethod, type MessageShape } from '@bufbuild/protobuf';
import { type ServiceError, status } from '@grpc/grpc-js';
import { type AppendLogsRequest, type CompleteRunRequest, type DiscardCacheRequest, type DiscardCacheResponse,
  DownloadArtifactsRequestSchema, type DownloadArtifactsResponse, type DownloadCacheRequest, type DownloadCacheResponse,
  Fleet, LeaveRequestSchema, type RecordSourceRequest, RenewRequestSchema, type RenewResponse, type RunRef,
  type UploadArtifactRequest, type UploadArtifactResponse, type UploadCacheRequest,
  type UploadCacheResponse } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type ControlStream, RefusedCall, type ShipLink, type StreamEvents } from '../link.ts';
import { FleetClient, type ShipCredentials } from './fleet-client.ts';
import { isRefused } from './is-refused.ts';
import { NoLogStreams } from './log-stream.ts';
import type { ServerAddress } from './open-client.ts';
import { StreamedEnds } from './streamed-ends.ts';

export interface RemoteLinkOptions {
  /** Address of the Fleet service. */
  readonly address: ServerAddress;
  readonly credentials: ShipCredentials;
  /** Whether the bytes prove, by the roots that the ship trusts (PEM), that the ship is revoked. */
  provesRevocation(proof: Uint8Array, roots: string): boolean;
  /** Called with the roots that the server sends in its welcome, DER each. Must not throw. */
  onTrustBundle(roots: readonly Uint8Array[]): void;
}

/** The connection of a ship to its server over the network: gRPC with mutual TLS. */
export class RemoteLink implements ShipLink {
  readonly #options: RemoteLinkOptions;
  #credentials: ShipCredentials;
  #client: FleetClient;
  #hasConnected = false;
  /**
   * False after the server has said that it does not support streams of lines; the server of the next connection may
   * support them.
   */
  #hasLogStreams = true;
  /** The ends of runs on the control stream, while it is open and the server supports them there. */
  #ends: StreamedEnds | undefined;

  constructor(options: RemoteLinkOptions) {
    this.#options = options;
    this.#credentials = options.credentials;
    this.#client = this.#open();
  }

  /** Opens a new connection each time, because the former one may be dead without anyone having noticed. */
  connect(events: StreamEvents): ControlStream {
    if (this.#hasConnected) this.replace(this.#credentials);
    this.#hasConnected = true;
    this.#hasLogStreams = true;
    const ends = new StreamedEnds((message) => stream.send(message));
    const over = (): void => {
      if (this.#ends === ends) this.#ends = undefined;
      ends.over();
    };
    const stream = this.#client.connect({
      message: (message) => {
        const { body } = message;
        if (body.case === 'completed') return ends.take(body.value);
        if (body.case === 'welcome') {
          this.#options.onTrustBundle(body.value.trustBundleDer);
          if (body.value.features.includes('complete')) this.#ends = ends;
        }
        events.message(message);
      },
      ended: (reason, detail) => {
        over();
        events.ended(reason, detail);
      },
    });
    return {
      send: (message) => stream.send(message),
      close: () => {
        over();
        stream.close();
      },
    };
  }

  isDown(): Promise<boolean> {
    return isRefused(this.#options.address);
  }

  async appendLogs(request: AppendLogsRequest) {
    const { ref } = request;
    if (ref === undefined || !this.#hasLogStreams) return this.#call(Fleet.method.appendLogs, request);
    try {
      return await this.#client.logStream().append({ ...request, ref });
    } catch (error) {
      if (!(error instanceof NoLogStreams)) throw error;
      this.#hasLogStreams = false;
      return this.#call(Fleet.method.appendLogs, request);
    }
  }

  /** By the control stream, which costs a fraction of a call, if the server supports that; the effect is the same. */
  completeRun(request: CompleteRunRequest) {
    const { ref } = request;
    return ref === undefined || this.#ends === undefined
      ? this.#call(Fleet.method.completeRun, request)
      : this.#ends.complete(ref, request);
  }

  recordSource(request: RecordSourceRequest) {
    return this.#call(Fleet.method.recordSource, request);
  }

  async uploadArtifact(parts: AsyncIterable<UploadArtifactRequest>,
    signal: AbortSignal): Promise<UploadArtifactResponse>
  {
    return refusing(this.#client.upload(Fleet.method.uploadArtifact, parts, signal));
  }

  async *downloadArtifacts(ref: RunRef, signal: AbortSignal): AsyncGenerator<DownloadArtifactsResponse> {
    yield* this.#client.download(Fleet.method.downloadArtifacts, create(DownloadArtifactsRequestSchema, { ref }),
      signal);
  }

  async uploadCache(parts: AsyncIterable<UploadCacheRequest>, signal: AbortSignal): Promise<UploadCacheResponse> {
    return refusing(this.#client.upload(Fleet.method.uploadCache, parts, signal));
  }

  downloadCache(request: DownloadCacheRequest, signal: AbortSignal): AsyncIterable<DownloadCacheResponse> {
    return this.#client.download(Fleet.method.downloadCache, request, signal);
  }

  discardCache(request: DiscardCacheRequest): Promise<DiscardCacheResponse> {
    return this.#call(Fleet.method.discardCache, request);
  }

  renew(csrDer: Uint8Array): Promise<RenewResponse> {
    return this.#call(Fleet.method.renewCertificate, create(RenewRequestSchema, { csrDer }));
  }

  /** Ends the ship's membership. */
  async leave(reason: string): Promise<void> {
    await this.#call(Fleet.method.leave, create(LeaveRequestSchema, { reason }));
  }

  /** Uses these credentials for calls and streams from now on; an open stream ends, and the ship reconnects. */
  replace(credentials: ShipCredentials): void {
    const former = this.#client;
    this.#credentials = credentials;
    this.#client = this.#open();
    former.close();
  }

  close(): void {
    this.#client.close();
  }

  #open(): FleetClient {
    const { address, provesRevocation } = this.#options;
    return new FleetClient(address, this.#credentials, (proof) => provesRevocation(proof, this.#credentials.roots));
  }

  async #call<Input extends DescMessage, Output extends DescMessage>(
    method: DescMethod & { readonly input: Input; readonly output: Output },
    request: MessageShape<Input>,
  ): Promise<MessageShape<Output>> {
    return refusing(this.#client.call(method, request));
  }
}

/** A server that does not know a call is older than this ship. */
async function refusing<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const { code, details } = error as ServiceError;
    if (code === status.INVALID_ARGUMENT || code === status.UNIMPLEMENTED)
      throw new RefusedCall(details, { cause: error });
    throw error;
  }
}
