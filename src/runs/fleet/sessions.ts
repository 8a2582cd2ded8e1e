import type { CompleteRunRequest, CompleteRunResponse } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Clock } from '../../lib/clock.ts';
import type { Queue, RunChange } from '../queue/port.ts';
import type { Connections } from '../ships/index.ts';
import type { Peer, Session, SessionOutput } from './port.ts';
import type { Reports } from './reports.ts';
import type { ClockOffsets } from './session/clock-offsets.ts';
import type { SessionContext } from './session/context.ts';
import { FleetSession } from './session/session.ts';

/** Ships reconnect at random moments within this time after a restart, not all at once. */
const RETURN_WITHIN_MS = 30_000;

const EXPELLED = {
  revoked: ['permission_denied', 'the ship is revoked'],
  left: ['ok', 'the ship has left'],
  unknown: ['not_found', 'the ship is not known to this server'],
} as const;

interface SessionsOptions {
  readonly context: Omit<SessionContext, 'seen' | 'completeRun'>;
  readonly reports: Pick<Reports, 'completeRun'>;
  readonly clock: Clock;
  /** Learns the offsets of the ships' clocks. */
  readonly offsets: ClockOffsets;
  readonly queue: Pick<Queue, 'onChange'>;
  /** Called before a ship is expelled, to clear the cache of its certificates. */
  readonly onExpel: (shipId: string) => void;
  /** The proof that a ship is revoked; undefined while the fleet is off. */
  readonly revocation: (shipId: string) => Uint8Array | undefined;
  readonly random: () => number;
}

/** The ships that are connected to this server. A ship has one session: a newer one replaces the older one. */
export class Sessions implements Connections {
  readonly #options: SessionsOptions;
  readonly #context: SessionContext;
  readonly #sessions = new Map<string, FleetSession>();
  /** Sessions that have not said hello, one per ship. */
  readonly #silent = new Map<string, FleetSession>();
  readonly #seen = new Map<string, number>();
  /** Entries of `#seen` that are not stored yet. */
  readonly #unwritten = new Set<string>();
  readonly #stopListening: () => void;
  #stopped = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#context = {
      ...options.context,
      seen: (shipId, unixMs) => this.#note(shipId, unixMs),
      completeRun: (peer, request) => this.completeRun(peer, request),
    };
    this.#stopListening = options.queue.onChange((change) => this.#forward(change));
  }

  connect(peer: Peer, output: SessionOutput): Session {
    const session = new FleetSession(peer, output, this.#context, {
      welcomed: (welcomed) => this.#enter(welcomed),
      ended: (ended) => this.#leave(ended),
    });
    if (this.#stopped) {
      session.close('unavailable', 'the server is stopping');
      return session;
    }
    this.#silent.get(peer.shipId)?.close('unavailable', 'the ship has connected again');
    this.#silent.set(peer.shipId, session);
    return session;
  }

  lastSeen(shipId: string): number | undefined {
    return this.#seen.get(shipId);
  }

  isDraining(shipId: string): boolean {
    return this.#sessions.get(shipId)?.isDraining ?? false;
  }

  sessionOf(shipId: string): string {
    return this.#sessions.get(shipId)?.sessionId ?? '';
  }

  drain(shipId: string): void {
    this.#sessions.get(shipId)?.drain();
  }

  undrain(shipId: string): void {
    this.#sessions.get(shipId)?.undrain();
  }

  expel(shipId: string, how: keyof typeof EXPELLED): void {
    this.#options.onExpel(shipId);
    const [status, reason] = EXPELLED[how];
    const revocation = how === 'revoked' ? this.#options.revocation(shipId) : undefined;
    this.#silent.get(shipId)?.close(status, reason, revocation);
    this.#sessions.get(shipId)?.close(status, reason, revocation);
    this.#seen.delete(shipId);
    this.#unwritten.delete(shipId);
    this.#options.offsets.forget(shipId);
  }

  /**
   * Records the end of a run, however the ship has sent it. The resulting changes of the run are not sent back to the
   * ship that reports it.
   */
  completeRun(peer: Peer, request: CompleteRunRequest): Promise<CompleteRunResponse> {
    return this.#options.reports.completeRun(peer, request, (ref, work) => {
      const session = this.#sessions.get(peer.shipId);
      return session === undefined ? work() : session.reporting(ref, work);
    });
  }

  /** Ids of the connected ships, and their free slots. */
  connected(): { shipId: string; free: number; busy: number }[] {
    return [...this.#sessions.values()].map(({ shipId, slots }) => ({ shipId, ...slots }));
  }

  /** Which ships were heard of since the last call, and when, in milliseconds since 1970. */
  takeSeen(): [shipId: string, ms: number][] {
    const seen = [...this.#unwritten].map((shipId): [string, number] => [shipId, this.#seen.get(shipId)!]);
    this.#unwritten.clear();
    return seen;
  }

  /** They could not be stored: the next call of `takeSeen` returns them again. */
  giveBack(seen: readonly (readonly [shipId: string, ms: number])[]): void {
    for (const [shipId] of seen) if (this.#seen.has(shipId)) this.#unwritten.add(shipId);
  }

  /** Disconnects all ships, to come back later, and accepts no more. Safe twice. */
  stop(): void {
    this.#stopped = true;
    this.#stopListening();
    for (const session of [...this.#silent.values(), ...this.#sessions.values()])
      session.goAway(Math.floor(this.#options.random() * RETURN_WITHIN_MS));
  }

  #enter(session: FleetSession): void {
    if (this.#silent.get(session.shipId) === session) this.#silent.delete(session.shipId);
    this.#sessions.get(session.shipId)?.close('unavailable', 'the ship has connected again');
    this.#sessions.set(session.shipId, session);
  }

  #leave(session: FleetSession): void {
    if (this.#silent.get(session.shipId) === session) this.#silent.delete(session.shipId);
    if (this.#sessions.get(session.shipId) !== session) return;
    this.#sessions.delete(session.shipId);
    if (this.#stopped) return;
    this.#context.log.info({ ship: session.shipId, held: session.slots.busy },
      'a ship is disconnected; what it holds stays its own until its leases end');
  }

  #forward(change: RunChange): void {
    const ships = new Set([change.formerShipId, change.run.shipId]);
    for (const shipId of ships) if (shipId !== null) this.#sessions.get(shipId)?.notice(change);
  }

  #note(shipId: string, unixMs: number): void {
    const now = this.#options.clock.now();
    if (unixMs > 0) this.#options.offsets.note(shipId, unixMs, now);
    this.#seen.set(shipId, now);
    if (!shipId.startsWith('local:')) this.#unwritten.add(shipId);
  }
}
