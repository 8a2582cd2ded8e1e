/**
 * A least average rate. It applies once the server has waited for the client for `afterMs`, and counts from the
 * beginning.
 */
export interface LeastRate {
  readonly afterMs: number;
  readonly bytesPerSecond: number;
}

/**
 * How fast the data of a request must arrive. All times are times in which the server waits for the client, so a server
 * that reads slowly ends no request. Rates are listed by rising `afterMs`.
 */
export interface ArrivalPace {
  /** Each period must bring this many bytes; otherwise the client has stalled. */
  readonly stall: { readonly periodMs: number; readonly bytes: number };
  /** For data that is read as a whole before it is processed, such as JSON. */
  readonly whole: readonly LeastRate[];
  /** For data that is processed while it arrives, such as files and imports. */
  readonly stream: readonly LeastRate[];
  /**
   * Data that is still arriving after this time is slow: each client may have only so much of it at once
   * (`SlowBodies`).
   */
  readonly slowAfterMs: number;
}

/**
 * Longest for JSON, unless it arrives at `STEADY_RATE`: a large batch over a slow uplink takes longer, and costs its
 * sender as much as the server.
 */
export const USUAL_BODY_MS = 60_000;
const STEADY_RATE = 64 * 1024;

/**
 * The usual pace. The stall is that of Apache's mod_reqtimeout, 500 bytes a second over 20 seconds. A stream has no
 * total time, because its length may have no limit, but the longer it lasts, the more it must have brought: the slowest
 * mobile uplinks (EDGE) reach about 8 KB/s.
 */
export function usualPace(bodyMs = USUAL_BODY_MS): ArrivalPace {
  return {
    stall: { periodMs: 20_000, bytes: 10_000 },
    whole: [{ afterMs: bodyMs, bytesPerSecond: STEADY_RATE }],
    stream: [{ afterMs: 60_000, bytesPerSecond: 1024 }, { afterMs: 600_000, bytesPerSecond: 4096 }],
    slowAfterMs: 2000,
  };
}

/** The rate that was not reached, if `bytes` have arrived in `waitedMs`; undefined if they are enough. */
export function missedRate(rates: readonly LeastRate[], waitedMs: number, bytes: number): LeastRate | undefined {
  const due = rates.findLast(({ afterMs }) => afterMs <= waitedMs);
  return due !== undefined && bytes * 1000 < due.bytesPerSecond * waitedMs ? due : undefined;
}
