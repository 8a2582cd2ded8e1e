import { create, type DescMessage, type DescMethod, type MessageShape } from '@bufbuild/protobuf';
import { type ServiceError, status } from '@grpc/grpc-js';
import { connect } from 'node:net';
import { type Completed, type CompleteRunRequest, CompleteStatus, type DiscardCacheRequest, type DiscardCacheResponse,
  DownloadArtifactsRequestSchema, type DownloadArtifactsResponse, type DownloadCacheRequest, type DownloadCacheResponse,
  Fleet, LeaveRequestSchema, type RecordSourceRequest, RenewRequestSchema, type RenewResponse, type RunRef,
  type ShipMessage, ShipMessageSchema, type StreamLogsRequest, type UploadArtifactRequest, type UploadArtifactResponse,
  type UploadCacheRequest, type UploadCacheResponse } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type ControlStream, refKey, RefusedCall, type ShipLink, type StreamEvents } from '../link.ts';
import { FleetClient, type ShipCredentials } from './fleet-client.ts';
import type { ServerAddress } from './open-client.ts';

/** A host that is there refuses at once. */
const TIMEOUT_MS = 3000;

/**
 * Whether the host refuses connections to the port at all of its addresses, so that no process listens there. Never
 * rejects.
 */
export function isRefused({ host, port }: ServerAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (refused: boolean): void => {
      socket.destroy();
      resolve(refused);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(false));
    socket.once('connect', () => end(false));
    socket.on('error', (error: NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] }) => {
      end((error.errors ?? [error]).every(({ code }) => code === 'ECONNREFUSED'));
    });
  });
}

/** An end that is not answered within this time is sent again. */
const DEADLINE_MS = 20_000;

interface Sent extends PromiseWithResolvers<Pick<Completed, 'status'>> {
  readonly timer: NodeJS.Timeout;
}

/** Ends of runs on one control stream: each is sent once, and waits for its answer or for the end of the stream. */
class StreamedEnds {
  readonly #send: (message: ShipMessage) => void;
  readonly #sent = new Map<string, Sent>();
  #isOver = false;

  constructor(send: (message: ShipMessage) => void) {
    this.#send = send;
  }

  /** Rejects with a `RefusedCall`, or with another error if the end has to be sent again. */
  complete(request: CompleteRunRequest): Promise<Pick<Completed, 'status'>> {
    if (this.#isOver) return Promise.reject(new Error('the control stream has ended'));
    const key = refKey(request.ref!);
    const known = this.#sent.get(key);
    if (known !== undefined) return known.promise;
    const timer = setTimeout(
      () =>
        this.#settle(key)?.reject(new Error(`the end of a run was not answered within ${DEADLINE_MS / 1000} seconds`)),
      DEADLINE_MS,
    );
    const sent = { ...Promise.withResolvers<Pick<Completed, 'status'>>(), timer };
    this.#sent.set(key, sent);
    this.#send(create(ShipMessageSchema, { body: { case: 'complete', value: request } }));
    return sent.promise;
  }

  /** The server has answered. */
  take({ ref, status, refused }: Completed): void {
    const sent = ref && this.#settle(refKey(ref));
    if (refused !== '') sent?.reject(new RefusedCall(refused));
    else if (status === CompleteStatus.COMPLETE_UNSPECIFIED)
      sent?.reject(new Error('the server could not record the end of the run'));
    else sent?.resolve({ status });
  }

  /** The stream has ended: whether the server has recorded the unanswered ends is unknown. Safe twice. */
  over(): void {
    this.#isOver = true;
    for (const key of [...this.#sent.keys()]) this.#settle(key)!.reject(new Error('the control stream has ended'));
  }

  #settle(key: string): Sent | undefined {
    const sent = this.#sent.get(key);
    clearTimeout(sent?.timer);
    this.#sent.delete(key);
    return sent;
  }
}

interface RemoteLinkOptions {
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
