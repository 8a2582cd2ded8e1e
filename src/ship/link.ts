import type { Completed, CompleteRunRequest, DiscardCacheRequest, DiscardCacheResponse, DownloadArtifactsResponse,
  DownloadCacheRequest, DownloadCacheResponse, RecordSourceRequest, RecordSourceResponse, RunRef, ServerMessage,
  ShipMessage, StreamLogsRequest, StreamLogsResponse, UploadArtifactRequest, UploadArtifactResponse, UploadCacheRequest,
  UploadCacheResponse } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';

/** Receives the events of an open control stream. No function may throw. */
export interface StreamEvents {
  message(message: ServerMessage): void;
  /**
   * Called once, at the end. `denied`: the ship is revoked, and the server has proved it. `unknown`: the server does
   * not know the ship, or says without proof that it is revoked. `outdated`: its program is too old.
   */
  ended(reason: 'lost' | 'denied' | 'unknown' | 'outdated', detail: string): void;
}

export interface ControlStream {
  /** Does nothing after the stream has ended. */
  send(message: ShipMessage): void;
  close(): void;
}

/**
 * The connection of a ship to the server: gRPC for a remote ship, direct calls for the ship in the server's own
 * process. Calls reject if the server cannot be reached; they may be repeated. They must settle within half a minute,
 * because the ship has no other time limit for them.
 */
export interface ShipLink {
  connect(events: StreamEvents): ControlStream;
  /**
   * Whether no server runs at the address now, because its host refuses connections to the port. Absent if that cannot
   * be determined. Never rejects.
   */
  isDown?(): Promise<boolean>;
  appendLogs(request: StreamLogsRequest): Promise<Pick<StreamLogsResponse, 'status' | 'nextSeq'>>;
  completeRun(request: CompleteRunRequest): Promise<Pick<Completed, 'status'>>;
  recordSource(request: RecordSourceRequest): Promise<RecordSourceResponse>;
  /** Takes as long as the size of the file and the network require; aborting the signal ends it. */
  uploadArtifact(parts: AsyncIterable<UploadArtifactRequest>, signal: AbortSignal): Promise<UploadArtifactResponse>;
  /** The artefacts of an attempt, read at the speed of the consumer; aborting the signal ends it. */
  downloadArtifacts(ref: RunRef, signal: AbortSignal): AsyncIterable<DownloadArtifactsResponse>;
  /** Like `uploadArtifact`. */
  uploadCache(parts: AsyncIterable<UploadCacheRequest>, signal: AbortSignal): Promise<UploadCacheResponse>;
  /**
   * The cache that fits best, read at the speed of the consumer; aborting the signal, or reading no further, ends it.
   */
  downloadCache(request: DownloadCacheRequest, signal: AbortSignal): AsyncIterable<DownloadCacheResponse>;
  discardCache(request: DiscardCacheRequest): Promise<DiscardCacheResponse>;
}

/** The server understood the call and will refuse it however often it is repeated. */
export class RefusedCall extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RefusedCall';
  }
}

/** Identifies an attempt as assigned; usable as a file name. */
export const refKey = ({ runId, attempt, fencingToken }: RunRef): string => `${runId}.${attempt}.${fencingToken}`;
