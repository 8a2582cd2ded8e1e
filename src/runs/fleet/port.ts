import type {
  AppendLogsRequest, AppendLogsResponse, CompleteRunRequest, CompleteRunResponse, JoinRequest, JoinResponse, LeaveRequest, LeaveResponse,
  RecordSourceRequest, RecordSourceResponse, RenewRequest, RenewResponse, ServerMessage, ShipMessage, StreamLogsRequest, StreamLogsResponse, UploadArtifactRequest, UploadArtifactResponse,
} from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';

/** A call that is refused, with the gRPC status that tells why. Its message is for the other end. */
export class FleetRefusal extends Error {
  readonly status: 'invalid_argument' | 'unauthenticated' | 'permission_denied' | 'not_found' | 'failed_precondition' | 'resource_exhausted';
  /** For a ship that is revoked: the proof of it, a `Revocation` of the protocol. */
  readonly revocation: Uint8Array | undefined;

  constructor(status: FleetRefusal['status'], message: string, revocation?: Uint8Array) {
    super(message);
    this.name = 'FleetRefusal';
    this.status = status;
    this.revocation = revocation;
  }
}

/** Who is at the other end: a ship with a certificate, or the ship in this process. */
export interface Peer {
  /** 32 hexadecimal characters, or `local:<node id>`. */
  readonly shipId: string;
  /** When its certificate expires, in milliseconds since 1970; absent without one. */
  readonly expiresMs?: number;
}

/** Where a session's messages go. Neither may throw. */
export interface SessionOutput {
  send(message: ServerMessage): void;
  /**
   * Ends the stream: `permission_denied` for a revoked ship, with the proof of it; `not_found` for one that this server does not
   * know; `failed_precondition` for one that is too old.
   */
  close(status: 'ok' | 'permission_denied' | 'not_found' | 'failed_precondition' | 'unavailable', reason: string, revocation?: Uint8Array): void;
}

export interface Session {
  /** Messages are handled in their order; resolves when this one is, and never rejects. Who waits for it does not flood the session. */
  receive(message: ShipMessage): Promise<void>;
  /** The stream has ended; what the ship holds stays its own until its leases end. */
  ended(): void;
}

/** Messages with lines of a ship's runs. */
export interface LogStream {
  /** Resolves when the message is answered. Rejects when it could not be stored: the ship has to send it again. */
  receive(request: StreamLogsRequest): Promise<void>;
}

/** The server's side of the fleet protocol, whatever carries the messages (decisions, section 4). */
export interface FleetService {
  connect(peer: Peer, output: SessionOutput): Session;
  // The calls below reject with a `FleetRefusal` or a `ServiceError`.
  appendLogs(peer: Peer, request: AppendLogsRequest): Promise<AppendLogsResponse>;
  /** Stores lines of many messages together. `peer`: asked for each write, since ships are revoked while they are connected. */
  streamLogs(peer: () => Promise<Peer>, answer: (response: StreamLogsResponse) => void): LogStream;
  completeRun(peer: Peer, request: CompleteRunRequest): Promise<CompleteRunResponse>;
  recordSource(peer: Peer, request: RecordSourceRequest): Promise<RecordSourceResponse>;
  /** Reads the parts at the pace of the disk, and may settle before it has read them all. */
  uploadArtifact(peer: Peer, parts: AsyncIterable<UploadArtifactRequest>): Promise<UploadArtifactResponse>;
  renewCertificate(peer: Peer, request: RenewRequest): Promise<RenewResponse>;
  leave(peer: Peer, request: LeaveRequest): Promise<LeaveResponse>;
  /** `address`: that of the network peer, whose failures are limited. */
  join(address: string, request: JoinRequest): Promise<JoinResponse>;
  /**
   * Who holds this certificate, by its serial number in upper-case hexadecimal. Rejects with a `FleetRefusal`: `not_found` for one
   * that this server does not know, `permission_denied` with the proof where the ship is revoked, `unauthenticated` for one that
   * has expired since the connection was made.
   */
  peerOf(serial: string): Promise<Peer>;
}
