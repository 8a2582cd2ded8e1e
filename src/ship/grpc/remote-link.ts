import { create, type DescMessage, type DescMethod, type MessageShape } from '@bufbuild/protobuf';
import { type ServiceError, status } from '@grpc/grpc-js';
import { type CompleteRunRequest, type DiscardCacheRequest, type DiscardCacheResponse, DownloadArtifactsRequestSchema,
  type DownloadArtifactsResponse, type DownloadCacheRequest, type DownloadCacheResponse, Fleet, LeaveRequestSchema,
  type RecordSourceRequest, RenewRequestSchema, type RenewResponse, type RunRef, type StreamLogsRequest,
  type UploadArtifactRequest, type UploadArtifactResponse, type UploadCacheRequest,
  type UploadCacheResponse } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type ControlStream, RefusedCall, type ShipLink, type StreamEvents } from '../link.ts';
import { FleetClient, type ShipCredentials } from './fleet-client.ts';
import { isRefused } from './is-refused.ts';
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
  /** The ends of runs on the control stream, from its welcome on. */
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
          this.#ends = ends;
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

  appendLogs(request: StreamLogsRequest) {
    return this.#client.logStream().append(request);
  }

  async completeRun(request: CompleteRunRequest) {
    if (this.#ends === undefined) throw new Error('the ship is not connected');
    return this.#ends.complete(request);
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

async function refusing<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const { code, details } = error as ServiceError;
    if (code === status.INVALID_ARGUMENT) throw new RefusedCall(details, { cause: error });
    throw error;
  }
}
