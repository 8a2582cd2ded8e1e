import type {
  AppendLogsRequest, AppendLogsResponse, CompleteRunRequest, CompleteRunResponse, RecordSourceRequest, RecordSourceResponse, ServerMessage, ShipMessage,
  UploadArtifactRequest, UploadArtifactResponse,
} from '../../generated/proto/quire/fleet/v1/fleet_pb.js';

/** What happens on an open control stream. None may throw. */
export interface StreamEvents {
  message(message: ServerMessage): void;
  /**
   * Once, at the end. `denied`: the ship is revoked, and the server has proved it. `unknown`: the server does not know the ship,
   * or says without proof that it is revoked. `outdated`: its program is too old.
   */
  ended(reason: 'lost' | 'denied' | 'unknown' | 'outdated', detail: string): void;
}

export interface ControlStream {
  /** Does nothing once the stream has ended. */
  send(message: ShipMessage): void;
  close(): void;
}

/**
 * A ship's way to the server: gRPC for a remote one, direct calls for the ship in the server's own
 * process. Calls reject when the server cannot be reached; they may be repeated. They settle within
 * half a minute, for the ship has no other limit for them.
 */
export interface ShipLink {
  connect(events: StreamEvents): ControlStream;
  /** Whether no server runs there now: its host refuses connections to its port. Absent where that cannot be told. Never rejects. */
  isDown?(): Promise<boolean>;
  appendLogs(request: AppendLogsRequest): Promise<AppendLogsResponse>;
  completeRun(request: CompleteRunRequest): Promise<CompleteRunResponse>;
  recordSource(request: RecordSourceRequest): Promise<RecordSourceResponse>;
  /** Takes as long as its size and the network want; aborting the signal ends it. */
  uploadArtifact(parts: AsyncIterable<UploadArtifactRequest>, signal: AbortSignal): Promise<UploadArtifactResponse>;
}

/** A call that the server understood and will not take however often it is repeated. */
export class RefusedCall extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RefusedCall';
  }
}
