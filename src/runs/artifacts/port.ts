import type { UploadArtifactRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';

/** What became of a file that a ship has sent. `over_limit`: sending it again would not help; the message says why. */
export interface Received {
  readonly status: 'kept' | 'fenced' | 'over_limit';
  readonly message?: string;
}

/** Takes files of ships. */
export interface ArtifactReceiver {
  /**
   * Reads the parts of one file, and keeps it once it is whole. May settle before it has read them all. Rejects with a
   * `FleetRefusal` for what is no file of the protocol, and with errors of disk and store.
   */
  receive(shipId: string, parts: AsyncIterable<UploadArtifactRequest>): Promise<Received>;
}

/** A file that is kept, as the store has it. */
export interface ArtifactRecord {
  readonly name: string;
  readonly attempt: number;
  readonly step: string;
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
}
