import { createAddressReader, type ReadAddress } from './trusted-proxies.ts';

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
const USUAL_BODY_MS = 60_000;
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

/** Data of a request for which the server has been waiting for a while. */
export interface SlowBody {
  /** The client, as `clientNetwork` names it. */
  readonly client: string;
  /** Bytes a second at which it has arrived so far. */
  readonly rate: number;
  /** Ends the request, because there are too many of its client; must not throw. */
  end(): void;
}

/** Where listeners report their slow bodies. */
export interface SlowBodyReports {
  /**
   * Replaces the last report of this source. Each listener calls it about once a second, and reports no body that has
   * been ended.
   */
  report(source: object, bodies: readonly SlowBody[]): void;
}

/** What a listener needs in order to tell clients apart. */
export interface ClientBounds {
  readonly readAddress: ReadAddress;
  /** Whether connections from this address carry requests of many clients. */
  readonly isProxy: (address: string) => boolean;
  readonly slowBodies: SlowBodyReports;
}

interface SlowBodyLimits {
  /** Most slow bodies of one client; 0 for no limit. */
  readonly perClient: number;
  /**
   * Most of all clients together; a quarter of the connections of a server by default, so that the others are left to
   * quick requests.
   */
  readonly total?: number;
}

/**
 * Bounds the slow bodies of each client, and of all together, over all listeners of a service. If there are too many,
 * the slowest are ended rather than the newest refused: a client that sends a few bytes now and then holds its
 * connections at no cost, and would otherwise lock out everyone who has the same address.
 */
export class SlowBodies implements SlowBodyReports {
  readonly #perClient: number;
  readonly #total: number;
  readonly #reports = new Map<object, readonly SlowBody[]>();

  constructor({ perClient, total = 2048 }: SlowBodyLimits) {
    this.#perClient = perClient === 0 ? Infinity : perClient;
    this.#total = total;
  }

  report(source: object, bodies: readonly SlowBody[]): void {
    this.#reports.delete(source);
    if (bodies.length === 0) return;
    this.#reports.set(source, bodies);
    const ended = new Set<SlowBody>();
    const all = [...this.#reports.values()].flat();
    if (all.length > this.#perClient) {
      for (const ofClient of Map.groupBy(all, ({ client }) => client).values())
        for (const body of beyond(ofClient, this.#perClient)) ended.add(body);
    }
    for (const body of beyond(all.filter((body) => !ended.has(body)), this.#total)) ended.add(body);
    if (ended.size === 0) return;
    for (const [each, reported] of this.#reports) this.#reports.set(each, reported.filter((body) => !ended.has(body)));
    for (const body of ended) body.end();
  }
}

/** For a service whose clients connect without proxies. */
export function directClients(perClient: number): ClientBounds {
  return { readAddress: createAddressReader([]), isProxy: () => false, slowBodies: new SlowBodies({ perClient }) };
}

/** The slowest bodies, if there are more than `most`. */
function beyond(bodies: readonly SlowBody[], most: number): readonly SlowBody[] {
  return bodies.length <= most ? [] : bodies.toSorted((a, b) => a.rate - b.rate).slice(0, bodies.length - most);
}
