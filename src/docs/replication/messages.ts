/** The messages between leader and follower, in the form of `replication.proto`. */

export interface FollowerPlace {
  readonly followerId: string;
  /** Number of the last change of the feed that the follower has. */
  readonly lsn: number;
  readonly position: number;
}

export interface StreamRequest {
  readonly followerId: string;
  readonly afterLsn: number;
  readonly history: string;
  readonly afterPosition: number;
  readonly checksum: number;
  readonly epoch: number;
  /** Format of the follower's database: rows of another format would not fit. */
  readonly format: number;
}

export interface BinlogMessage {
  /** `hello` is the first message, `heartbeat` says that there is nothing new, `entries` contains some in `value`. */
  readonly type: string;
  readonly lsn: number;
  readonly position: number;
  /** Time of the commit of the last entry, in nanoseconds since 1970. */
  readonly timestamp: bigint | number;
  readonly value: Uint8Array;
  readonly txnEnd: boolean;
  readonly epoch: number;
  /** The end of the leader's binlog. */
  readonly leaderPosition: number;
  /** Milliseconds since 1970, by the leader's clock. */
  readonly sentAt: number;
}

export interface SnapshotRequest {
  readonly followerId: string;
  readonly epoch: number;
  readonly format: number;
}

export interface SnapshotPiece {
  readonly data: Uint8Array;
  readonly offset: number;
  readonly totalSize: number;
  readonly isLast: boolean;
  readonly snapshotLsn: number;
  /** CRC-32 of `data`. */
  readonly checksum: number;
}

export interface Acknowledgement extends FollowerPlace {
  readonly epoch: number;
}

export interface LeaderAnswer {
  readonly epoch: number;
  /** Epoch of the leader that replaced this one; 0 while none has. */
  readonly fencedBy: number;
}

/**
 * The connection to a leader. It throws the leader's error codes, and `unavailable` if the leader cannot be reached.
 */
export interface LeaderLink {
  stream(request: StreamRequest, signal: AbortSignal): AsyncIterable<BinlogMessage>;
  snapshot(request: SnapshotRequest, signal: AbortSignal): AsyncIterable<SnapshotPiece>;
  acknowledge(request: Acknowledgement, signal: AbortSignal): Promise<LeaderAnswer>;
  close(): void;
}
