import { createAddressReader, type ReadAddress } from './trusted-proxies.ts';

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

export interface SlowBodyLimits {
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
