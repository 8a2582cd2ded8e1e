import { create } from '@bufbuild/protobuf';
import { AcceptSchema, type Assignment, type HeartbeatAck, HeartbeatSchema, HeldRunSchema, HelloSchema, RejectSchema,
  type RunRef, type ServerMessage, type ShipInfo, type ShipMessage, ShipMessageSchema,
  type Welcome } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Log } from '../../lib/log.ts';
import type { ControlStream, ShipLink, StreamEvents } from '../link.ts';
import type { HeldRun } from '../run/held-run.ts';
import { type ShipTime, sleepUntil } from '../time.ts';
import { Heartbeats } from './heartbeats.ts';
import type { Hold } from './hold.ts';

// The messages that a ship sends on the control stream.

const hello = (sessionId: Uint8Array, info: ShipInfo, held: readonly HeldRun[]): ShipMessage =>
  create(ShipMessageSchema, {
    body: {
      case: 'hello',
      value: create(HelloSchema, {
        sessionId,
        info,
        held: held.map(({ ref, isFinished }) => create(HeldRunSchema, { ref, finished: isFinished })),
      }),
    },
  });

const heartbeat = (seq: number, unixMs: number, held: readonly HeldRun[], freeSlots: number,
  draining: boolean): ShipMessage =>
  create(ShipMessageSchema, {
    body: {
      case: 'heartbeat',
      value: create(HeartbeatSchema, {
        seq: BigInt(seq),
        held: held.map(({ ref }) => ref),
        freeSlots,
        draining,
        unixMs: BigInt(Math.round(unixMs)),
      }),
    },
  });

const accept = (ref: RunRef): ShipMessage =>
  create(ShipMessageSchema, { body: { case: 'accept', value: create(AcceptSchema, { ref }) } });

const reject = (ref: RunRef, reason: 'full' | 'draining' | 'unsupported'): ShipMessage =>
  create(ShipMessageSchema, { body: { case: 'reject', value: create(RejectSchema, { ref, reason }) } });

/** If the server does not welcome the ship within this time, the connection is given up. */
const WELCOME_MS = 20_000;
const DEFAULT_HEARTBEAT_MS = 15_000;

/** An assignment with a reference to its attempt. */
type NamedAssignment = Assignment & { readonly ref: RunRef };

/** What a session asks and tells the ship. None may throw. */
export interface SessionOwner {
  /** Runs that it would take now. */
  freeSlots(): number;
  isDraining(): boolean;
  /** Why it does not take an assignment; undefined if it does. */
  refuses(assignment: Assignment): 'full' | 'draining' | 'unsupported' | undefined;
  onWelcome(welcome: Welcome): void;
  /** `sentAt`: when the heartbeat was sent, by the monotonic clock, if that is known. */
  onAck(ack: HeartbeatAck, sentAt: number | undefined): void;
  /** Takes no more runs. A deadline of 0 means none. */
  onDrain(deadlineMs: number, exit: boolean): void;
  /** Takes runs again, unless it drains for its own reasons. */
  onUndrain(): void;
}

interface SessionOptions {
  readonly link: ShipLink;
  readonly hold: Hold;
  readonly owner: SessionOwner;
  readonly time: ShipTime;
  readonly log: Log;
  readonly sessionId: Uint8Array;
  readonly info: ShipInfo;
  readonly firstHeartbeat: number;
}

export interface SessionEnd {
  readonly reason: 'lost' | 'denied' | 'unknown' | 'outdated' | 'reconnect';
  readonly detail: string;
  /** It worked for a while, so the next connection may be tried soon. */
  readonly wasStable: boolean;
  /** For `reconnect`: the server asks the ship to wait this long. */
  readonly afterMs: number;
}

/** One control stream, from hello to its end. The runs of the ship outlive it. */
export class Session implements StreamEvents {
  readonly #options: SessionOptions;
  readonly #welcomed = new AbortController();
  readonly #over = new AbortController();
  readonly #end = Promise.withResolvers<SessionEnd>();
  readonly #openedAt: number;
  #stream: ControlStream | undefined;
  #heartbeats: Heartbeats | undefined;
  #stableAt = Infinity;
  /** `#lacking` at the last heartbeat. */
  #reportedLacking: number | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#openedAt = options.time.monotonic();
  }

  /** Number of the next session's first heartbeat. */
  get nextHeartbeat(): number {
    return this.#heartbeats?.nextSeq ?? this.#options.firstHeartbeat;
  }

  /** Says hello, and resolves when the stream has ended. Never rejects. */
  async run(): Promise<SessionEnd> {
    const { link, hold, time, sessionId, info } = this.#options;
    this.#stream = link.connect(this);
    this.#send(hello(sessionId, info, hold.held()));
    await sleepUntil(time.timer, WELCOME_MS, this.#welcomed.signal, this.#over.signal);
    if (this.#heartbeats === undefined) this.close('the server does not answer');
    else await this.#heartbeats.beat(this.#over.signal);
    return this.#end.promise;
  }

  /**
   * Slots or runs have changed. The server is told at once, unless it counts the change itself: it knows which runs
   * were accepted, and which ends were reported. It does not know when the ship drains, nor that processes of a run are
   * still dying that the ship no longer holds.
   */
  changed(): void {
    if (this.#lacking() !== this.#reportedLacking) this.#heartbeats?.hurry();
  }

  /** By how much the ship has fewer free slots than its capacity without the runs that it holds. */
  #lacking(): number {
    const { hold, owner, info } = this.#options;
    return Math.max(0, info.capacity - hold.held().length - owner.freeSlots());
  }

  close(detail: string): void {
    this.ended('lost', detail);
  }

  ended(reason: SessionEnd['reason'], detail: string, afterMs = 0): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#stream?.close();
    this.#end.resolve({ reason, detail, afterMs, wasStable: this.#options.time.monotonic() >= this.#stableAt });
  }

  message({ body }: ServerMessage): void {
    if (this.#over.signal.aborted) return;
    if (body.case === 'welcome') return this.#welcome(body.value);
    if (this.#heartbeats === undefined)
      return this.close(`the server sent ${body.case ?? 'an unknown message'} before its welcome`);
    const { hold, owner, log } = this.#options;
    switch (body.case) {
      case 'ack':
        return this.#acknowledged(body.value, this.#heartbeats);
      case 'assignment':
        return this.#assigned(body.value, this.#heartbeats);
      case 'cancel':
        return body.value.ref && hold.cancel(body.value.ref, Number(body.value.graceMs));
      case 'abandon':
        return body.value.ref && hold.discard([body.value.ref], body.value.reason);
      case 'drain':
        return owner.onDrain(Number(body.value.deadlineMs), body.value.exit);
      case 'undrain':
        return owner.onUndrain();
      case 'reconnect':
        return this.ended('reconnect', 'the server asks to connect again', Number(body.value.afterMs));
      default:
        log.warn({}, 'the server sent a message that this version does not know');
    }
  }

  #welcome(welcome: Welcome): void {
    if (this.#heartbeats !== undefined) return;
    const { hold, owner, time, firstHeartbeat } = this.#options;
    const intervalMs = Number(welcome.heartbeatMs) || DEFAULT_HEARTBEAT_MS;
    this.#stableAt = time.monotonic() + intervalMs;
    owner.onWelcome(welcome);
    hold.resume(welcome.resume);
    this.#heartbeats = new Heartbeats({
      time,
      intervalMs,
      firstSeq: firstHeartbeat,
      send: (seq) => this.#beat(seq),
      onSilence: () => this.close('the server has fallen silent'),
    });
    this.#welcomed.abort();
  }

  #beat(seq: number): void {
    const { hold, owner, time } = this.#options;
    this.#reportedLacking = this.#lacking();
    this.#send(heartbeat(seq, time.clock.now(), hold.held(), owner.freeSlots(), owner.isDraining()));
  }

  #acknowledged(ack: HeartbeatAck, heartbeats: Heartbeats): void {
    const { hold, owner } = this.#options;
    const sentAt = heartbeats.acknowledge(Number(ack.seq));
    if (sentAt !== undefined) hold.renew(ack.renewed, sentAt);
    hold.discard(ack.lost, "the server says that it is no longer this ship's");
    owner.onAck(ack, sentAt);
  }

  /**
   * The server assigned the run after it had received the newest heartbeat that it has acknowledged, so the lease
   * counts from there: the assignment itself may have been delayed.
   */
  #assigned(assignment: Assignment, heartbeats: Heartbeats): void {
    const { hold, owner, log } = this.#options;
    if (!isNamed(assignment)) return log.warn({}, 'the server sent an assignment without a name');
    const { ref } = assignment;
    if (hold.has(ref)) return this.#send(accept(ref));
    if (hold.hasSeen(ref))
      return log.warn({ run: ref.runId, attempt: ref.attempt }, 'the server repeats an assignment that is over');
    const refusal = owner.refuses(assignment);
    if (refusal !== undefined) {
      this.#reportedLacking = undefined; // the server assigns nothing before the next heartbeat
      return this.#send(reject(ref, refusal));
    }
    this.#send(accept(ref));
    hold.take(assignment, heartbeats.lastAcknowledged ?? this.#openedAt);
  }

  #send(message: ShipMessage): void {
    if (!this.#over.signal.aborted) this.#stream?.send(message);
  }
}

const isNamed = (assignment: Assignment): assignment is NamedAssignment => assignment.ref !== undefined;
