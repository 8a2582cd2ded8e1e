import type { DownloadArtifactsResponse,
  UploadArtifactRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { RunRef } from '../queue/port.ts';

/** The outcome of a file that a ship sent. `over_limit`: sending it again would not help; the message says why. */
export interface Received {
  readonly status: 'kept' | 'fenced' | 'over_limit';
  readonly message?: string;
}

/** Exchanges files of steps with ships, whatever the transport. */
export interface ArtifactExchange {
  /**
   * Reads the parts of one file, and stores the file when it is complete. May settle before all parts are read. Rejects
   * with a `FleetRefusal` if the messages are not a file of the protocol, and with errors of disk and store.
   */
  receive(shipId: string, parts: AsyncIterable<UploadArtifactRequest>): Promise<Received>;
  /**
   * The messages of all files that an attempt has left before an approval step. Undefined if the ship no longer holds
   * the run.
   */
  send(shipId: string, ref: RunRef): Promise<AsyncIterable<DownloadArtifactsResponse> | undefined>;
}

/** A stored file. */
export interface ArtifactRecord {
  readonly name: string;
  readonly attempt: number;
  readonly step: string;
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** Whether its owner may execute it. */
  readonly executable: boolean;
  /** Seconds since 1970. */
  readonly createdAt: number;
}
