import type { DiscardCacheRequest, DownloadCacheRequest, DownloadCacheResponse,
  UploadCacheRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';

/** The outcome of a cache that a ship sent. `over_limit`: sending it again would not help; the message says why. */
export interface CacheTaken {
  readonly status: 'kept' | 'exists' | 'fenced' | 'over_limit';
  readonly message?: string;
}

/** What happens to caches, for metrics. No function throws. */
export interface CacheEvents {
  received(status: CacheTaken['status']): void;
  /** A ship has asked for a cache: it got the one of its key, an older one by a restore key, or none. */
  asked(result: 'hit' | 'restored' | 'miss'): void;
  /** Caches were removed, because all together had too many bytes, or because nothing has used them. */
  evicted(why: 'budget' | 'unused', count: number): void;
}

/** Exchanges caches with ships, whatever the transport. A ship reaches only caches of projects whose runs it holds. */
export interface CacheExchange {
  /**
   * Reads the parts of one cache, and stores it when it is complete. May settle before all parts are read. Rejects with
   * a `FleetRefusal` if the messages are not a cache of the protocol, and with errors of disk and store.
   */
  receive(shipId: string, parts: AsyncIterable<UploadCacheRequest>): Promise<CacheTaken>;
  /** The messages of the cache that fits best, none if there is none. Undefined if the ship no longer holds the run. */
  send(shipId: string, request: DownloadCacheRequest): Promise<AsyncIterable<DownloadCacheResponse> | undefined>;
  /** Removes a cache that cannot be restored, if the ship holds the run. */
  discard(shipId: string, request: DiscardCacheRequest): Promise<void>;
}
