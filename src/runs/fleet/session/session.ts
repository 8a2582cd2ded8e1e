import type { Accept, CompleteRunRequest, Heartbeat, HeldRun, Hello, Reject, Resume, ServerMessage,
  ShipMessage } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { SecretUnavailable } from '../../definitions/index.ts';
import type { Claim, Completion, RunChange, RunRef, Worker, WorkerHandle } from '../../queue/port.ts';
import { FleetRefusal, type Peer, type Session, type SessionOutput } from '../port.ts';
import { isSameRef, readRef } from '../refs.ts';
import { PROTOCOL, readTraits, requireCompatible } from '../ship-info.ts';
import type { SessionContext } from './context.ts';
import { HeldRuns } from './held-runs.ts';
import { abandon, ack, assignmentMessage, cancel, completed, drain, reconnect, resume, unavailable, undrain,
  welcome } from './messages.ts';

/** Most runs that one message may name. */
const MAX_REFS = 5000;
/** Most messages that may wait for earlier ones. */
const MAX_WAITING = 1000;
const MAX_SESSION_ID_BYTES = 64;
/** After this many missed heartbeats a ship gets no more runs. */
const SILENT_HEARTBEATS = 2.5;
/** Leases are extended once a second, and a ship may send more than one message in that time. */
const MAX_RENEWING = 8;

/** The end of an attempt that was cancelled before its ship was told of it. */
const CANCELLED: Completion = { outcome: 'cancelled', started: false };

interface SessionEvents {
  /** The ship has introduced itself; a former session of it must end before its runs are reviewed. */
  welcomed(session: FleetSession): void;
  ended(session: FleetSession): void;
}

/** What a ship is like, as far as the queue needs it. */
type WorkerTraits = Required<Pick<Worker, 'labels' | 'kinds' | 'keyVariables' | 'sessionId' | 'maxHeld'>>;

/**
 * One control stream of a ship. The ship says hello and which runs it holds, learns what to do with each, and receives
 * runs until the stream ends. It keeps its runs then: the next session continues with them, or their leases end.
 */
export class FleetSession implements Session {
  readonly shipId: string;
  readonly #peer: Peer;
  readonly #context: SessionContext;
  readonly #output: SessionOutput;
  readonly #events: SessionEvents;
  readonly #held = new HeldRuns();
  /** Runs whose end the ship is reporting right now. */
  readonly #reporting = new Map<string, number>();
  /** Assigned runs that the ship has not been sent yet. */
  readonly #preparing = new Map<string, { cancelled: boolean }>();
  /** Its entry in the worker registry, from its welcome on. */
  #worked: WorkerHandle | undefined;
  #sessionId = '';
  #shipDrains = false;
  /** When the last message of the ship arrived, in milliseconds since 1970. */
  #heardMs = 0;
  #drains = false;
  /** Changes that arrived before the welcome was sent. */
  #early: RunChange[] | undefined;
  #over = false;
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** Heartbeats whose leases are being extended. */
  #renewing = 0;
  #nextHeartbeat: Heartbeat | undefined;

  constructor(peer: Peer, output: SessionOutput, context: SessionContext, events: SessionEvents) {
    this.shipId = peer.shipId;
    this.#peer = peer;
    this.#output = output;
    this.#context = context;
    this.#events = events;
  }

  /** Random per process of the ship; empty before it has said hello. */
  get sessionId(): string {
    return this.#sessionId;
  }

  get isDraining(): boolean {
    return this.#shipDrains || this.#drains;
  }

  get slots(): { free: number; busy: number } {
    return { free: this.#free(), busy: this.#held.size };
  }

  receive(message: ShipMessage): Promise<void> {
    if (++this.#waiting > MAX_WAITING) this.close('unavailable', 'too many messages at once');
    const taken = this.#tail.then(() => this.#take(message));
    this.#tail = taken.then(() => undefined);
    return taken.then(({ written }) => written).finally(() => (this.#waiting -= 1));
  }

  /** The other end has closed the stream. */
  ended(): void {
    if (this.#over) return;
    this.#over = true;
    this.#worked?.remove();
    this.#events.ended(this);
  }

  close(...how: Parameters<SessionOutput['close']>): void {
    if (this.#over) return;
    this.ended();
    this.#output.close(...how);
  }

  /** The server stops. */
  goAway(afterMs: number): void {
    if (this.#over) return;
    this.#output.send(reconnect(afterMs));
    this.close('unavailable', 'the server is stopping');
  }

  /** Assigns no more runs to the ship, and tells it so. */
  drain(): void {
    if (this.#drains || this.#over) return;
    this.#drains = true;
    if (this.#worked !== undefined) this.#output.send(drain(true));
  }

  /** Runs are assigned to it again. */
  undrain(): void {
    if (!this.#drains || this.#over) return;
    this.#drains = false;
    this.#shipDrains = false;
    if (this.#worked === undefined) return;
    this.#output.send(undrain());
    this.#wake();
  }

  /** Tells the ship about a change of a run that it holds, unless the ship itself reported the change. */
  notice(change: RunChange): void {
    // The welcome must be the first message of the server.
    if (this.#early !== undefined) {
      this.#early.push(change);
      return;
    }
    const { run } = change;
    const ref = this.#held.find(run.id);
    if (ref === undefined || this.#over) return;
    const isStillThere = run.shipId === this.shipId && run.fence === ref.fence &&
      (run.state === 'running' || run.state === 'cancelling');
    const preparing = this.#preparing.get(keyOf(ref));
    if (!isStillThere && preparing !== undefined) return this.#release(ref);
    if (!isStillThere) return this.#lose(ref, `the run is ${run.state}`);
    if (run.state === 'cancelling' && preparing !== undefined) preparing.cancelled = true;
    else if (run.state === 'cancelling') this.#output.send(cancel(ref, this.#graceMs()));
  }

  /** Wraps the report of a run's end, so that the resulting change is not sent back to the ship. */
  async reporting<T>(ref: RunRef, work: () => Promise<T>): Promise<T> {
    this.#reporting.set(ref.runId, (this.#reporting.get(ref.runId) ?? 0) + 1);
    try {
      const result = await work();
      this.#release(ref);
      return result;
    } finally {
      const left = this.#reporting.get(ref.runId)! - 1;
      if (left > 0) this.#reporting.set(ref.runId, left);
      else this.#reporting.delete(ref.runId);
    }
  }

  /** `written`: resolves when the store has what the message reports; the messages after it need not wait for that. */
  async #take({ body }: ShipMessage): Promise<{ readonly written?: Promise<void> }> {
    if (this.#over) return {};
    this.#heardMs = this.#context.env.clock.now();
    try {
      if (body.case === 'hello') await this.#greet(body.value);
      else if (this.#worked === undefined)
        throw new FleetRefusal('failed_precondition', 'the first message must be hello');
      else if (body.case === 'heartbeat') this.#heartbeat(body.value);
      else if (body.case === 'accept')
        return { written: this.#accept(body.value).catch((error: unknown) => this.#fail(error)) };
      else if (body.case === 'reject') await this.#reject(body.value);
      else if (body.case === 'complete') return { written: this.#complete(body.value) };
    } catch (error) {
      this.#fail(error);
    }
    return {};
  }

  #fail(error: unknown): void {
    if (error instanceof FleetRefusal) {
      this.#context.log.warn({ ship: this.shipId, reason: error.message }, 'a ship is rejected');
      const { status } = error;
      return this.close(status === 'permission_denied' || status === 'not_found' ? status : 'failed_precondition',
        error.message, error.revocation);
    }
    this.#context.log.error({ err: error, ship: this.shipId }, 'a message of a ship could not be handled');
    this.close('unavailable', 'the server failed; connect again');
  }

  async #greet({ sessionId, info, held }: Hello): Promise<void> {
    const { env, log } = this.#context;
    if (this.#sessionId !== '') throw new FleetRefusal('failed_precondition', 'hello may come once');
    requireCompatible(info, this.shipId.startsWith('local:') ? '' : env.config.current().config.fleet.min_ship_version);
    const traits = readTraits(info);
    if (sessionId.length === 0 || sessionId.length > MAX_SESSION_ID_BYTES)
      throw new FleetRefusal('failed_precondition', `hello.session_id must have 1 to ${MAX_SESSION_ID_BYTES} bytes`);
    requireFew(held.length);
    const id = Buffer.from(sessionId).toString('hex');
    const member = await this.#context.admit(this.shipId, id, traits);
    if (this.#over) return;
    this.#sessionId = id;
    this.#early = [];
    this.#events.welcomed(this);
    this.#held.setCapacity(traits.capacity);
    const resumes = await this.#goOn(held, traits.capacity);
    if (this.#over) return;
    this.#output.send(welcome(this.#welcome(resumes)));
    // A program that was asked to drain exits when no run is left. A program that starts while its ship drains stays,
    // because otherwise its supervisor would restart it again and again.
    const ends = this.#drains || member.ends || held.length > 0;
    if (member.draining) this.#drains = true;
    if (this.#drains) this.#output.send(drain(ends));
    log.info({ ship: this.shipId, version: traits.version, held: held.length }, 'a ship is connected');
    this.#begin({
      labels: member.labels,
      kinds: traits.kinds,
      keyVariables: traits.keyVariables,
      sessionId: id,
      maxHeld: traits.capacity,
    });
  }

  /** Asks the queue about each run that the ship holds. Finished runs take no slot. */
  async #goOn(held: readonly HeldRun[], capacity: number): Promise<Resume[]> {
    const { queue, logs } = this.#context;
    const known = held.flatMap(({ ref, finished }) => {
      const read = readRef(ref);
      return read === undefined ? [] : [{ ref: read, finished }];
    });
    const answers = await queue.resume(this.shipId, known);
    const lasting = answers.filter(({ action }) => action !== 'discard').map(({ ref }) => ref);
    for (const { ref, finished } of known) {
      if (!finished && lasting.some((other) => isSameRef(ref, other))) this.#held.keep(ref);
    }
    this.#held.report(capacity - this.#held.size);
    return Promise.all(
      answers.map(async ({ ref, action }) =>
        resume(ref, action, action === 'discard' ? 0 : await logs.nextSeq(ref.runId, ref.attempt))
      ),
    );
  }

  /** After the welcome: the ship may receive runs, and gets the changes that arrived meanwhile. */
  #begin(worker: WorkerTraits): void {
    this.#context.seen(this.shipId, 0);
    this.#worked = this.#context.queue.addWorker(this.#worker(worker));
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const change of early) this.notice(change);
  }

  #welcome(resumes: Resume[]): Parameters<typeof welcome>[0] {
    const { env, trustBundle } = this.#context;
    const { fleet, queue, storage } = env.config.current().config;
    return {
      serverVersion: env.version,
      protocol: PROTOCOL,
      minShipVersion: fleet.min_ship_version,
      leaseTtlMs: BigInt(queue.lease_ttl),
      heartbeatMs: BigInt(queue.heartbeat),
      resume: resumes,
      trustBundleDer: trustBundle(),
      // If several servers share a store, another one could assign the ship's runs elsewhere while this one is down.
      outageGraceMs: BigInt(storage.driver === 'sqlite' ? fleet.outage_grace : 0),
    };
  }

  #worker(traits: WorkerTraits): Worker {
    return {
      ...traits,
      shipId: this.shipId,
      free: () => this.#free(),
      idle: () => this.#idle(),
      assign: (claim) => this.#assign(claim),
    };
  }

  #free(): number {
    return this.#over || this.#idle() !== undefined ? 0 : this.#held.free;
  }

  #idle(): 'draining' | 'silent' | undefined {
    return this.isDraining ? 'draining' : this.#isSilent() ? 'silent' : undefined;
  }

  /**
   * The connection may be dead without anyone having noticed, and a run that is assigned over it would only wait. The
   * next message of the ship ends this state.
   */
  #isSilent(): boolean {
    const { clock, config } = this.#context.env;
    return Math.abs(clock.now() - this.#heardMs) > SILENT_HEARTBEATS * config.current().config.queue.heartbeat;
  }

  #assign(claim: Claim): void {
    const { ref } = claim;
    // The session ended while the run was being claimed; another ship can have the run at once.
    if (this.#over) return this.#try(this.#context.queue.reject(ref, this.shipId, 'draining'), ref);
    this.#held.hand(ref);
    this.#try(this.#prepare(claim), ref);
  }

  /** Fetches secrets first. A run that is cancelled or taken away meanwhile is never sent to the ship. */
  async #prepare(claim: Claim): Promise<void> {
    const { ref } = claim;
    const { queue, assignmentOf } = this.#context;
    const preparing = { cancelled: false };
    const key = keyOf(ref);
    this.#preparing.set(key, preparing);
    const result = await assignmentOf(claim).catch((error: unknown) => this.#unprepared(ref, error)).finally(() =>
      this.#preparing.delete(key)
    );
    if (this.#over) return void await queue.reject(ref, this.shipId, 'draining');
    if (!this.#held.has(ref)) return;
    if ('outcome' in result || preparing.cancelled) {
      const completion = 'outcome' in result ? result : CANCELLED;
      return void await this.reporting(ref, () => queue.complete(ref, this.shipId, completion));
    }
    this.#output.send(assignmentMessage(result));
  }

  /** The result of an attempt that never reaches its ship. Another ship would lack the same secret. */
  #unprepared({ runId }: RunRef, error: unknown): Completion {
    const failure = { step: null, exitCode: null, signal: null };
    if (error instanceof SecretUnavailable)
      return {
        outcome: 'failed',
        error: { ...failure, code: 'secret_unavailable', message: error.message },
        started: false,
      };
    this.#context.log.error({ err: error, run: runId }, 'a run could not be turned into an assignment');
    return {
      outcome: 'ship_error',
      error: { ...failure, code: 'internal', message: 'the server could not prepare the run' },
      started: false,
    };
  }

  #try(work: Promise<unknown>, ref: RunRef): void {
    work.catch((error: unknown) =>
      this.#context.log.error({ err: error, run: ref.runId, ship: this.shipId },
        'a run could not be taken back from a ship; its lease will end')
    );
  }

  async #accept({ ref: wire }: Accept): Promise<void> {
    const ref = readRef(wire);
    if (ref === undefined) return;
    this.#held.accept(ref); // before the messages that follow, which count it
    if (await this.#context.queue.accept(ref, this.shipId) === 'accepted') return;
    this.#context.fencedWrite('Accept');
    this.#release(ref);
    this.#send(abandon(ref, "the run is no longer this ship's"));
  }

  /** Never rejects. */
  async #complete(request: CompleteRunRequest): Promise<void> {
    if (this.#isExpired()) return;
    const { ref } = request;
    const { completeRun, completions } = this.#context;
    try {
      const { status } = await completeRun(this.#peer, request);
      completions.over();
      this.#send(completed({ ref, status }));
    } catch (error) {
      const refused = error instanceof FleetRefusal && error.status === 'invalid_argument' ? error.message : '';
      if (refused === '') completions.note(error);
      this.#send(completed({ ref, refused }));
    }
  }

  /** Disconnects a ship whose certificate has expired. */
  #isExpired(): boolean {
    if (this.#context.env.clock.now() < (this.#peer.expiresMs ?? Infinity)) return false;
    this.close('unavailable',
      'the certificate of this connection has expired; connect with the new one, or join again');
    return true;
  }

  #send(message: ServerMessage): void {
    if (!this.#over) this.#output.send(message);
  }

  async #reject({ ref: wire, reason }: Reject): Promise<void> {
    const ref = readRef(wire);
    if (ref === undefined) return;
    const known = reason === 'unsupported' || reason === 'draining' ? reason : 'full';
    // It has fewer free slots than it reported, so it gets nothing until it reports slots again.
    if (known !== 'unsupported') this.#held.report(0);
    this.#held.release(ref);
    await this.#context.queue.reject(ref, this.shipId, known);
    this.#wake();
  }

  #heartbeat(heartbeat: Heartbeat): void {
    requireFew(heartbeat.held.length);
    if (this.#isExpired()) return;
    this.#context.seen(this.shipId, Number(heartbeat.unixMs));
    this.#shipDrains = heartbeat.draining;
    this.#held.report(heartbeat.freeSlots);
    this.#wake();
    // Each heartbeat names all held runs, so only the newest one is needed.
    this.#nextHeartbeat = heartbeat;
    if (this.#renewing < MAX_RENEWING) void this.#renew();
  }

  async #renew(): Promise<void> {
    this.#renewing += 1;
    try {
      for (let heartbeat = this.#nextHeartbeat; heartbeat !== undefined && !this.#over;
        heartbeat = this.#nextHeartbeat)
      {
        this.#nextHeartbeat = undefined;
        const refs = heartbeat.held.flatMap((ref) => readRef(ref) ?? []);
        const answer = await this.#context.queue.renew(this.shipId, refs).catch(() => undefined);
        if (answer === undefined) {
          // The queue has logged the error, and ends no lease before it could have extended this one.
          this.#send(unavailable(heartbeat.seq, this.#context.env.clock.now()));
          continue;
        }
        for (const ref of answer.lost) this.#held.release(ref);
        this.#send(ack(heartbeat.seq, answer, this.#context.env.clock.now()));
      }
    } finally {
      this.#renewing -= 1;
    }
  }

  #lose(ref: RunRef, reason: string): void {
    const isNews = this.#held.has(ref) && !this.#reporting.has(ref.runId);
    this.#release(ref);
    if (isNews) this.#output.send(abandon(ref, reason));
  }

  #release(ref: RunRef): void {
    this.#held.release(ref);
    this.#wake();
  }

  #wake(): void {
    if (this.#free() > 0) this.#worked?.wake();
  }

  #graceMs(): number {
    return this.#context.env.config.current().config.queue.cancel_grace;
  }
}

const keyOf = ({ runId, fence }: RunRef): string => `${runId}.${fence}`;

function requireFew(count: number): void {
  if (count > MAX_REFS)
    throw new FleetRefusal('failed_precondition', `a message may name ${MAX_REFS} runs, got ${count}`);
}
