import { create } from '@bufbuild/protobuf';
import { randomBytes } from 'node:crypto';
import { type Assignment, type HeartbeatAck, type ShipInfo, ShipInfoSchema,
  type Welcome } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Log } from '../lib/log.ts';
import type { Executor } from './execute/port.ts';
import type { ShipLink } from './link.ts';
import { Hold } from './session/hold.ts';
import { Session, type SessionEnd, type SessionOwner } from './session/session.ts';
import type { Spools } from './spool/spool-file.ts';
import { RECONNECT, RetryPause, type ShipTime, sleepUntil, untilAborted } from './time.ts';

/** Version of the fleet protocol. */
const PROTOCOL = 1;
/** Defaults until the server sends its own values, which it does before it assigns anything. */
const DEFAULT_LEASE_TTL_MS = 60_000;
/** Time after which a server that does not know the ship is tried again: only a person can change that state. */
const UNKNOWN_MS = 60_000;
/** After a stop, reports that do not succeed within this time are given up: the server notices the end of the lease. */
const LAST_REPORTS_MS = 30_000;

/** What a ship reports to the server about itself. */
export interface ShipDescription {
  readonly name: string;
  readonly version: string;
  readonly os: string;
  readonly arch: string;
  /** Names of variables with keys of AI roles that are set. */
  readonly keyVariables: readonly string[];
  /** Number of runs that it executes at once. */
  readonly capacity: number;
  /** If true, exits after one run. */
  readonly ephemeral: boolean;
}

export interface ShipOptions {
  readonly link: ShipLink;
  readonly executor: Executor;
  readonly spools: Spools;
  readonly time: ShipTime;
  readonly log: Log;
  readonly description: ShipDescription;
}

/**
 * Why a ship has ended: `drained`, no run is left after a drain; `ephemeral`, its one run has ended; `denied`, the
 * server has revoked it; `outdated`, its program is too old for the server; `gave_up`, it was stopped and its last
 * reports did not succeed.
 */
export type ShipEnd = 'drained' | 'ephemeral' | 'denied' | 'outdated' | 'gave_up';

export interface Ship {
  /** Works until the ship ends; no process of its work is alive then. Must be called once. Never rejects. */
  run(): Promise<ShipEnd>;
  /**
   * Takes no more runs. Runs that are unfinished after `deadlineMs` are returned; without it none is. With `exit` the
   * ship ends when no run is left.
   */
  drain(options: { readonly deadlineMs?: number; readonly exit: boolean }): void;
  /** Returns the current runs, with each run's grace, and ends. */
  stop(): void;
  /** Number of runs whose work is under way. */
  readonly running: number;
  readonly isConnected: boolean;
  /** How far the server's clock is ahead of this machine's; undefined before it is known. */
  serverOffsetMs(): number | undefined;
}

/** In the form of the protocol. */
export function toShipInfo({ keyVariables, ...description }: ShipDescription, kinds: Executor['kinds']): ShipInfo {
  const capacity = description.ephemeral ? 1 : description.capacity;
  return create(ShipInfoSchema, {
    ...description,
    capacity,
    protocol: PROTOCOL,
    kinds: [...kinds],
    roles: [...keyVariables],
  });
}

export function createShip(options: ShipOptions): Ship {
  return new ConnectedShip(options);
}

class ConnectedShip implements Ship, SessionOwner {
  readonly #options: ShipOptions;
  readonly #hold: Hold;
  readonly #info: ShipInfo;
  /** New for each process: a process that holds nothing has lost the runs of the former process. */
  readonly #sessionId = randomBytes(16);
  readonly #end = Promise.withResolvers<ShipEnd>();
  readonly #over = new AbortController();
  #session: Session | undefined;
  #isWelcome = false;
  #isDraining = false;
  #exitsWhenEmpty = false;
  /** Requested by the server, which can end it. */
  #serverDrains = false;
  #serverEnds = false;
  #isStopping = false;
  #leaseTtlMs = DEFAULT_LEASE_TTL_MS;
  #serverOffsetMs: number | undefined;
  #outageGraceMs = 0;
  /** Time of the last contact with a server whose store worked, by the monotonic clock. */
  #contactAt = -Infinity;
  #isStoreOut = false;
  /** The last reason for disconnection, as logged. */
  #lastLoss = '';

  constructor(options: ShipOptions) {
    this.#options = options;
    this.#info = toShipInfo(options.description, options.executor.kinds);
    this.#hold = new Hold({
      ...options,
      leaseTtlMs: () => this.#leaseTtlMs,
      isBridging: () => this.#isBridging(),
      onChange: () => this.#changed(),
    });
  }

  get running(): number {
    return this.#hold.working;
  }

  get isConnected(): boolean {
    return this.#isWelcome;
  }

  serverOffsetMs(): number | undefined {
    return this.#serverOffsetMs;
  }

  async run(): Promise<ShipEnd> {
    // As soon as this process connects, the server assigns the runs again that it does not hold; the former process's
    // work must be dead before.
    await Promise.all([this.#sweep(), this.#options.executor.ready]);
    void this.#stayConnected();
    const end = await this.#end.promise;
    this.#over.abort();
    this.#session?.close('the ship ends');
    await this.#hold.discardAll('the ship ends');
    return end;
  }

  drain({ deadlineMs, exit }: { deadlineMs?: number; exit: boolean }): void {
    this.#isDraining = true;
    this.#exitsWhenEmpty ||= exit;
    this.#options.log.info({ running: this.running, deadlineMs }, 'taking no more runs');
    this.#changed();
    if (deadlineMs !== undefined) void this.#after(deadlineMs, () => this.#hold.giveBackAll());
  }

  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.drain({ exit: true });
    this.#hold.giveBackAll();
    void this.#afterWork(LAST_REPORTS_MS, () => this.#end.resolve('gave_up'));
  }

  // The functions that a session calls.

  freeSlots(): number {
    return this.isDraining() ? 0 : Math.max(0, this.#info.capacity - this.#hold.working);
  }

  isDraining(): boolean {
    return this.#isDraining || this.#serverDrains || this.#hasHadItsRun;
  }

  refuses(assignment: Assignment): 'full' | 'draining' | 'unsupported' | undefined {
    if (this.isDraining()) return 'draining';
    if (this.freeSlots() === 0) return 'full';
    const reason = this.#options.executor.refuses(assignment);
    if (reason === undefined) return undefined;
    this.#options.log.warn({ run: assignment.ref?.runId, reason }, 'run refused');
    return 'unsupported';
  }

  onWelcome({ serverVersion, leaseTtlMs, outageGraceMs }: Welcome): void {
    this.#isWelcome = true;
    this.#isStoreOut = false;
    this.#contactAt = this.#options.time.monotonic();
    this.#outageGraceMs = Number(outageGraceMs);
    // The server repeats the drain if it still applies; it may have been ended meanwhile.
    this.#serverDrains = false;
    this.#serverEnds = false;
    if (leaseTtlMs > 0n) this.#leaseTtlMs = Number(leaseTtlMs);
    this.#options.log.info({ server: serverVersion, held: this.#hold.held().length }, 'connected');
  }

  onAck({ serverUnixMs, storeUnavailable }: HeartbeatAck, sentAt: number | undefined): void {
    this.#isStoreOut = storeUnavailable;
    if (!storeUnavailable) this.#contactAt = this.#options.time.monotonic();
    else if (sentAt !== undefined && this.#isWithinGrace()) this.#hold.renewAll(sentAt);
    if (serverUnixMs > 0n) this.#serverOffsetMs = Number(serverUnixMs) - this.#options.time.clock.now();
  }

  onDrain(deadlineMs: number, exit: boolean): void {
    this.#serverDrains = true;
    this.#serverEnds = exit;
    this.#options.log.info({ running: this.running, exit, ...(deadlineMs > 0 && { deadlineMs }) },
      'taking no more runs: the server drains this ship');
    this.#changed();
    if (deadlineMs > 0) void this.#after(deadlineMs, () => this.#hold.giveBackAll());
  }

  onUndrain(): void {
    this.#serverDrains = false;
    this.#serverEnds = false;
    this.#options.log.info({}, 'the server drains this ship no more');
    this.#changed();
  }

  get #hasHadItsRun(): boolean {
    return this.#options.description.ephemeral && this.#hold.hasTaken;
  }

  /** Connects, again and again. */
  async #stayConnected(): Promise<void> {
    const { time, log } = this.#options;
    const pause = new RetryPause(time.timer, time.random);
    while (!this.#over.signal.aborted) {
      const { reason, detail, wasStable, afterMs } = await this.#connect();
      if (this.#over.signal.aborted) return;
      if (reason === 'denied' || reason === 'outdated') {
        log.error({ detail },
          reason === 'denied' ? 'the server has revoked this ship' : 'this ship is too old for the server');
        this.#end.resolve(reason);
        return;
      }
      if (reason === 'lost') await this.#bridge();
      this.#logLoss(reason, detail, wasStable);
      if (wasStable) pause.succeeded();
      if (reason === 'unknown') await sleepUntil(time.timer, this.#longestPause(UNKNOWN_MS), this.#over.signal);
      else if (reason === 'reconnect') await sleepUntil(time.timer, this.#longestPause(afterMs), this.#over.signal);
      else await pause.afterFailure(this.#over.signal, this.#longestPause(Infinity));
    }
  }

  /** Logs a repeated reason once. */
  #logLoss(reason: SessionEnd['reason'], detail: string, wasStable: boolean): void {
    const lastLoss = `${reason} ${detail}`;
    if (lastLoss === this.#lastLoss && !wasStable) return;
    this.#lastLoss = lastLoss;
    const { log } = this.#options;
    if (reason === 'unknown')
      log.error({ detail },
        'the server does not know this ship, perhaps since its store was restored; the ship keeps its key and ' +
          'tries again');
    else log.warn({ detail, held: this.#hold.held().length }, 'disconnected');
  }

  /**
   * While its host refuses connections no server runs that could assign the runs elsewhere, and one that starts then
   * waits for as long as a lease lasts. So leases count from the refused connection, until the grace for outages is
   * over.
   */
  async #bridge(): Promise<void> {
    const { link, time } = this.#options;
    const askedAt = time.monotonic();
    if (!this.#isWithinGrace() || !(await link.isDown?.() ?? false)) return;
    this.#hold.renewAll(askedAt);
  }

  #isBridging(): boolean {
    return (!this.#isWelcome || this.#isStoreOut) && this.#isWithinGrace();
  }

  #isWithinGrace(): boolean {
    return this.#options.time.monotonic() - this.#contactAt <= this.#outageGraceMs;
  }

  /**
   * Waiting spares a server that is in trouble, but must not cost runs: most of their time is kept for further
   * attempts.
   */
  #longestPause(afterMs: number): number {
    return Math.min(afterMs, Math.max(RECONNECT.initial, this.#hold.outageMs / 3));
  }

  async #connect(): Promise<SessionEnd> {
    const { link, time, log } = this.#options;
    const session = new Session({
      link,
      time,
      log,
      hold: this.#hold,
      owner: this,
      info: this.#info,
      sessionId: this.#sessionId,
      firstHeartbeat: this.#session?.nextHeartbeat ?? 0,
    });
    this.#session = session;
    const end = await session.run();
    this.#isWelcome = false;
    return end;
  }

  #changed(): void {
    this.#session?.changed();
    if (!this.#hold.isEmpty) return;
    if (this.#hasHadItsRun) this.#end.resolve('ephemeral');
    else if (this.#exitsWhenEmpty || this.#serverEnds) this.#end.resolve('drained');
  }

  /** The disk may be full or read-only: the ship works nevertheless, and its runs report what they lose. */
  async #sweep(): Promise<void> {
    try {
      await this.#options.spools.sweep();
    } catch (err) {
      this.#options.log.error({ err }, 'cannot clear the folder of the logs that wait to be sent');
    }
  }

  async #after(milliseconds: number, then: () => void): Promise<void> {
    await sleepUntil(this.#options.time.timer, milliseconds, this.#over.signal);
    if (!this.#over.signal.aborted) then();
  }

  /** Like `after`, starting when the work of all current runs has ended. */
  async #afterWork(milliseconds: number, then: () => void): Promise<void> {
    await untilAborted(this.#hold.workEnded(), this.#over.signal);
    await this.#after(milliseconds, then);
  }
}
