import type { AppendLogsRequest, AppendLogsResponse, CompleteRunRequest, CompleteRunResponse, DiscardCacheRequest,
  DiscardCacheResponse, DownloadArtifactsRequest, DownloadArtifactsResponse, DownloadCacheRequest,
  DownloadCacheResponse, JoinRequest, JoinResponse, LeaveRequest, LeaveResponse, RecordSourceRequest,
  RecordSourceResponse, RenewRequest, RenewResponse, ServerMessage, ShipMessage, StreamLogsRequest, StreamLogsResponse,
  UploadArtifactRequest, UploadArtifactResponse, UploadCacheRequest,
  UploadCacheResponse } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';

/** A call is refused; the gRPC status says why. The message is sent to the other end. */
export class FleetRefusal extends Error {
  readonly status: 'invalid_argument' | 'unauthenticated' | 'permission_denied' | 'not_found' | 'failed_precondition'
    | 'resource_exhausted';
  /** For a revoked ship: the proof, a `Revocation` of the protocol. */
  readonly revocation: Uint8Array | undefined;

  constructor(status: FleetRefusal['status'], message: string, revocation?: Uint8Array) {
    super(message);
    this.name = 'FleetRefusal';
    this.status = status;
    this.revocation = revocation;
  }
}

/** The other end: a ship with a certificate, or the ship in this process. */
export interface Peer {
  /** 32 hexadecimal characters, or `local:<node id>`. */
  readonly shipId: string;
  /** When its certificate expires, in milliseconds since 1970; absent without one. */
  readonly expiresMs?: number;
}

/** Receives a session's messages. Neither function may throw. */
export interface SessionOutput {
  send(message: ServerMessage): void;
  /**
   * Ends the stream: `permission_denied` for a revoked ship, with the proof of it; `not_found` for one that this server
   * does not know; `failed_precondition` for one that is too old.
   */
  close(status: 'ok' | 'permission_denied' | 'not_found' | 'failed_precondition' | 'unavailable', reason: string,
    revocation?: Uint8Array): void;
}

export interface Session {
  /** Handles messages in order; resolves when this one is handled, and never rejects. Await this for back-pressure. */
  receive(message: ShipMessage): Promise<void>;
  /** The stream has ended; the ship keeps its runs until their leases end. */
  ended(): void;
}

/** Messages with log lines of a ship's runs. */
export interface LogStream {
  /**
   * Resolves when the message is answered. Rejects if the lines could not be stored; the ship has to send them again.
   */
  receive(request: StreamLogsRequest): Promise<void>;
}

/** Lines of one attempt, however they came. */
export type Lines = Omit<AppendLogsRequest, '$typeName'>;

/** The server's side of the fleet protocol, independent of the transport (decisions, section 4). */
export interface FleetService {
  connect(peer: Peer, output: SessionOutput): Session;
  // The calls below reject with a `FleetRefusal` or a `ServiceError`.
  appendLogs(peer: Peer, request: Lines): Promise<AppendLogsResponse>;
  /**
   * Stores lines of many messages together. `peer`: called for each write, because ships may be revoked while they are
   * connected.
   */
  streamLogs(peer: () => Promise<Peer>, answer: (response: StreamLogsResponse) => void): LogStream;
  completeRun(peer: Peer, request: CompleteRunRequest): Promise<CompleteRunResponse>;
  recordSource(peer: Peer, request: RecordSourceRequest): Promise<RecordSourceResponse>;
  /** Reads the parts at the speed of the disk, and may settle before all are read. */
  uploadArtifact(peer: Peer, parts: AsyncIterable<UploadArtifactRequest>): Promise<UploadArtifactResponse>;
  /** The artefacts that an attempt has left before an approval step; the last message may be an error. */
  downloadArtifacts(peer: Peer, request: DownloadArtifactsRequest): AsyncIterable<DownloadArtifactsResponse>;
  /** Reads the parts at the speed of the disk, and may settle before all are read. */
  uploadCache(peer: Peer, parts: AsyncIterable<UploadCacheRequest>): Promise<UploadCacheResponse>;
  /** The cache that fits best, without messages if there is none; the last message may be an error. */
  downloadCache(peer: Peer, request: DownloadCacheRequest): AsyncIterable<DownloadCacheResponse>;
  discardCache(peer: Peer, request: DiscardCacheRequest): Promise<DiscardCacheResponse>;
  renewCertificate(peer: Peer, request: RenewRequest): Promise<RenewResponse>;
  leave(peer: Peer, request: LeaveRequest): Promise<LeaveResponse>;
  /** `address`: the network address of the peer; failures per address are limited. */
  join(address: string, request: JoinRequest): Promise<JoinResponse>;
  /**
   * Identifies the holder of this certificate by its serial number in upper-case hexadecimal. Rejects with a
   * `FleetRefusal`: `not_found` if this server does not know it, `permission_denied` with the proof if the ship is
   * revoked, `unauthenticated` if it has expired since the connection was made.
   */
  peerOf(serial: string): Promise<Peer>;
}
