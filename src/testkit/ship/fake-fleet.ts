import { create } from '@bufbuild/protobuf';
import { AppendStatus, AssignmentSchema, type Completed, type CompleteRunRequest, CompleteStatus,
  type DiscardCacheResponse, DiscardCacheResponseSchema, type DownloadArtifactsResponse, type DownloadCacheResponse,
  type HeldRun, Outcome, type RecordSourceResponse, RecordSourceResponseSchema, RecordSourceStatus, ResumeAction,
  ResumeSchema, type RunRef, type ServerMessage, ServerMessageSchema, type ShipMessage, type StreamLogsRequest,
  type StreamLogsResponse, type UploadArtifactResponse, UploadArtifactResponseSchema, UploadArtifactStatus,
  type UploadCacheResponse, UploadCacheResponseSchema,
  UploadCacheStatus } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { ControlStream, ShipLink, StreamEvents } from '../../ship/index.ts';
import type { Script } from './scripted-executor.ts';
import type { VirtualTime } from './virtual-time.ts';

export const LEASE_TTL_MS = 60_000;
export const HEARTBEAT_MS = 15_000;
export const GRACE_MS = 10_000;
const ACCEPT_MS = 10_000;

/**
 * A run on this server, with the few rules of the state machine that ships can observe, implemented as simply as
 * possible.
 */
export interface FakeRun {
  readonly id: string;
  readonly script: Script;
  readonly stopOnPartition: boolean;
  state: 'queued' | 'running' | 'cancelling' | 'done';
  attempt: number;
  fence: bigint;
  leaseEnds: number;
  acceptedBy: number;
  accepted: boolean;
  /** Lines of each attempt, by `attempt.fence`. */
  readonly logs: Map<string, string[]>;
  /** Completions that were recorded. */
  readonly completions: CompleteRunRequest[];
  outcome: Outcome | undefined;
  /** When a ship was last told that its lines are stored, and when the end was recorded that left lines out. */
  logHeardAt: number;
  logGivenUpAt: number | undefined;
}

/** What the network does to a call; chosen separately for each call. */
export interface Weather {
  /** It is lost before the server receives it. */
  delayMs(): number;
  /** It never arrives. */
  losesRequest(): boolean;
  /** It is executed, but the response is lost. */
  losesAnswer(): boolean;
  /** It arrives twice. */
  repeats(): boolean;
}

export const FAIR: Weather = {
  delayMs: () => 1,
  losesRequest: () => false,
  losesAnswer: () => false,
  repeats: () => false,
};

/**
 * A server for ships, without a network: its rules are those of the decisions, section 4, and the test controls its
 * faults.
 */
export class FakeFleet implements ShipLink {
  readonly runs = new Map<string, FakeRun>();
  /** Messages of the ship, in order. */
  readonly received: ShipMessage[] = [];
  weather = FAIR;
  /** Nothing arrives, and connections can neither be made nor be seen to break. */
  partitioned = false;
  budgetLines = Infinity;
  /** Whether and how it responds to the next connections. */
  refusing: 'lost' | 'denied' | 'unknown' | 'outdated' | undefined;
  /** For how long ships bridge an outage. */
  outageGraceMs = 0;
  /** What has failed: everything, so that its host refuses connections, or only its store. */
  #outage: 'server' | 'store' | undefined;
  /** Called when a run's lease has ended, so that any ship may be assigned it now. */
  onLeaseEnd: (run: FakeRun) => void = () => undefined;
  readonly #time: VirtualTime;
  #streams = new Set<FakeStream>();
  #freeSlots = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
    void this.#tick();
  }

  get connections(): number {
    return this.#streams.size;
  }

  add(id: string, script: Script, { stopOnPartition = true } = {}): FakeRun {
    const run: FakeRun = {
      id,
      script,
      stopOnPartition,
      state: 'queued',
      attempt: 1,
      fence: 0n,
      leaseEnds: 0,
      acceptedBy: 0,
      accepted: false,
      logs: new Map(),
      completions: [],
      outcome: undefined,
      logHeardAt: 0,
      logGivenUpAt: undefined,
    };
    this.runs.set(id, run);
    return run;
  }

  cancel(id: string, graceMs = GRACE_MS): void {
    const run = this.runs.get(id)!;
    run.state = 'cancelling';
    this.broadcast({ case: 'cancel', value: { ref: refOf(run), graceMs: BigInt(graceMs) } });
  }

  /** Breaks all streams, like a server that restarts. Stored data stays. */
  cut(reason: 'lost' | 'denied' | 'unknown' | 'outdated' = 'lost'): void {
    for (const stream of [...this.#streams]) stream.end(reason);
  }

  fail(what: 'server' | 'store'): void {
    this.#outage = what;
    if (what === 'store') return;
    this.refusing = 'lost';
    this.cut();
  }

  /** After an outage all leases are renewed. */
  heal(): void {
    this.#outage = undefined;
    this.refusing = undefined;
    for (const run of this.runs.values()) run.leaseEnds = this.#time.now() + LEASE_TTL_MS;
  }

  broadcast(body: MessageInit): void {
    for (const stream of this.#streams) stream.deliver(body);
  }

  connect(events: StreamEvents): ControlStream {
    const stream: FakeStream = new FakeStream(this.#time, events, () => this.partitioned,
      (message) => this.#receive(stream, message), () => this.#streams.delete(stream));
    if (this.refusing !== undefined) stream.end(this.refusing);
    else this.#streams.add(stream);
    return stream;
  }

  isDown(): Promise<boolean> {
    return Promise.resolve(this.#outage === 'server');
  }

  async appendLogs(request: StreamLogsRequest): Promise<Pick<StreamLogsResponse, 'status' | 'nextSeq'>> {
    const answer = await this.#call(() => {
      const run = this.runs.get(request.ref!.runId)!;
      if (!holds(run, request.ref!)) return { status: AppendStatus.APPEND_FENCED, nextSeq: 0n };
      const lines = run.logs.get(logKey(request.ref!)) ?? [];
      run.logs.set(logKey(request.ref!), lines);
      const first = Number(request.firstSeq);
      if (first > lines.length) return { status: AppendStatus.GAP, nextSeq: BigInt(lines.length) };
      if (lines.length >= this.budgetLines) return { status: AppendStatus.BUDGET, nextSeq: BigInt(lines.length) };
      lines.push(...request.lines.slice(lines.length - first).map(({ message }) => message));
      return { status: AppendStatus.STORED, nextSeq: BigInt(lines.length) };
    });
    this.runs.get(request.ref!.runId)!.logHeardAt = this.#time.now();
    return answer;
  }

  recordSource(): Promise<RecordSourceResponse> {
    return Promise.resolve(create(RecordSourceResponseSchema, { status: RecordSourceStatus.SOURCE_RECORDED }));
  }

  uploadArtifact(): Promise<UploadArtifactResponse> {
    return Promise.resolve(create(UploadArtifactResponseSchema, { status: UploadArtifactStatus.KEPT }));
  }

  /** The artefacts of its runs. */
  async *downloadArtifacts(): AsyncGenerator<DownloadArtifactsResponse> {
    // There are none.
  }

  uploadCache(): Promise<UploadCacheResponse> {
    return Promise.resolve(create(UploadCacheResponseSchema, { status: UploadCacheStatus.CACHE_KEPT }));
  }

  discardCache(): Promise<DiscardCacheResponse> {
    return Promise.resolve(create(DiscardCacheResponseSchema, {}));
  }

  /** It keeps none. */
  async *downloadCache(): AsyncGenerator<DownloadCacheResponse> {}

  completeRun(request: CompleteRunRequest): Promise<Pick<Completed, 'status'>> {
    return this.#call(() => {
      const run = this.runs.get(request.ref!.runId)!;
      const last = run.completions.at(-1);
      if (last !== undefined && sameRef(last.ref!, request.ref!))
        return {
          status: last.outcome === request.outcome ? CompleteStatus.ALREADY_RECORDED : CompleteStatus.COMPLETE_FENCED,
        };
      if (!holds(run, request.ref!)) return { status: CompleteStatus.COMPLETE_FENCED };
      run.completions.push(request);
      this.#freeSlots++;
      if ((run.logs.get(logKey(request.ref!))?.length ?? 0) < Number(request.logSeqTotal))
        run.logGivenUpAt = this.#time.now();
      if (run.state === 'running' && (request.outcome === Outcome.SHIP_ERROR || request.outcome === Outcome.RETURNED))
        requeue(run);
      else {
        run.outcome = run.state === 'cancelling' ? Outcome.CANCELLED : request.outcome;
        run.state = 'done';
      }
      return { status: CompleteStatus.RECORDED };
    });
  }

  async #call<T>(work: () => T): Promise<T> {
    const { weather } = this;
    await this.#time.sleep(weather.delayMs());
    if (this.partitioned || this.#outage !== undefined || weather.losesRequest()) throw await this.#unreachable();
    const answer = work();
    if (weather.repeats()) work();
    await this.#time.sleep(weather.delayMs());
    if (this.partitioned || weather.losesAnswer()) throw await this.#unreachable();
    return answer;
  }

  async #unreachable(): Promise<Error> {
    await this.#time.sleep(this.partitioned ? 5000 : 10);
    return new Error('UNAVAILABLE');
  }

  #receive(stream: FakeStream, message: ShipMessage): void {
    this.received.push(message);
    const { body } = message;
    switch (body.case) {
      case 'hello':
        return this.#welcome(stream, body.value.held);
      case 'heartbeat': {
        if (this.#outage === 'store')
          return stream.deliver({
            case: 'ack',
            value: { seq: body.value.seq, serverUnixMs: BigInt(Math.round(this.#time.now())), storeUnavailable: true },
          });
        this.#freeSlots = body.value.draining ? 0 : body.value.freeSlots;
        const [renewed, lost] = [body.value.held.filter((ref) => this.#renews(ref)),
          body.value.held.filter((ref) => !this.#renews(ref))];
        stream.deliver({
          case: 'ack',
          value: { seq: body.value.seq, renewed, lost, serverUnixMs: BigInt(Math.round(this.#time.now())) },
        }, this.weather.delayMs());
        return;
      }
      case 'accept':
        return this.#accepted(stream, body.value.ref!);
      case 'reject': {
        const run = this.runs.get(body.value.ref!.runId)!;
        if (holds(run, body.value.ref!)) giveUp(run, run.attempt);
      }
    }
  }

  #welcome(stream: FakeStream, held: readonly HeldRun[]): void {
    for (const other of [...this.#streams]) if (other !== stream) other.end('lost');
    const resume = held.map(({ ref }) => {
      const run = this.runs.get(ref!.runId)!;
      const action = !this.#renews(ref!)
        ? ResumeAction.DISCARD
        : run.state === 'cancelling'
        ? ResumeAction.STOP
        : ResumeAction.CONTINUE;
      return create(ResumeSchema, { ref: ref!, action, nextSeq: BigInt(run.logs.get(logKey(ref!))?.length ?? 0) });
    });
    // Runs that the ship does not report are lost.
    for (const run of this.runs.values()) {
      if ((run.state === 'running' || run.state === 'cancelling') && !held.some(({ ref }) => sameRef(ref!, refOf(run))))
        this.#lost(run);
    }
    stream.deliver({
      case: 'welcome',
      value: {
        serverVersion: '0',
        protocol: 1,
        leaseTtlMs: BigInt(LEASE_TTL_MS),
        heartbeatMs: BigInt(HEARTBEAT_MS),
        outageGraceMs: BigInt(this.outageGraceMs),
        resume,
      },
    });
  }

  #accepted(stream: FakeStream, ref: RunRef): void {
    const run = this.runs.get(ref.runId)!;
    if (!holds(run, ref)) return stream.deliver({ case: 'abandon', value: { ref, reason: 'too late' } });
    run.accepted = true;
  }

  #renews(ref: RunRef): boolean {
    const run = this.runs.get(ref.runId);
    if (run === undefined || !holds(run, ref)) return false;
    run.leaseEnds = this.#time.now() + LEASE_TTL_MS;
    // A ship that reports a run has accepted it.
    run.accepted = true;
    return true;
  }

  #lost(run: FakeRun): void {
    if (run.state === 'cancelling') {
      run.fence++;
      run.state = 'done';
      run.outcome = Outcome.CANCELLED;
    } else requeue(run);
  }

  /** Checks leases and assigns runs, ten times per second. */
  async #tick(): Promise<void> {
    for (;;) {
      await this.#time.sleep(100);
      if (this.#outage !== undefined) continue;
      const now = this.#time.now();
      for (const run of this.runs.values()) {
        if (run.state !== 'running' && run.state !== 'cancelling') continue;
        if (now >= run.leaseEnds) {
          this.onLeaseEnd(run);
          this.#lost(run);
        } else if (!run.accepted && now >= run.acceptedBy && run.state === 'running') giveUp(run, run.attempt);
      }
      const [stream] = this.#streams;
      const next = [...this.runs.values()].find(({ state }) => state === 'queued');
      if (stream === undefined || !stream.isWelcome || next === undefined || this.#freeSlots <= 0) continue;
      this.#freeSlots--;
      this.#assign(stream, next);
    }
  }

  #assign(stream: FakeStream, run: FakeRun): void {
    Object.assign(run, {
      state: 'running',
      fence: run.fence + 1n,
      leaseEnds: this.#time.now() + LEASE_TTL_MS,
      acceptedBy: this.#time.now() + ACCEPT_MS,
      accepted: false,
    });
    const assignment = create(AssignmentSchema, {
      ref: refOf(run),
      projectId: 'p',
      input: Buffer.from(JSON.stringify(run.script)),
      timeoutMs: 3_600_000n,
      cancelGraceMs: BigInt(GRACE_MS),
      stopOnPartition: run.stopOnPartition,
    });
    stream.deliver({ case: 'assignment', value: assignment }, this.weather.delayMs());
    if (this.weather.repeats()) stream.deliver({ case: 'assignment', value: assignment }, 3 * this.weather.delayMs());
  }
}

type MessageInit = NonNullable<Parameters<typeof create<typeof ServerMessageSchema>>[1]>['body'] & object;

/** One stream: messages arrive after a short delay, in order, and not at all during a partition. */
class FakeStream implements ControlStream {
  isWelcome = false;
  readonly #time: VirtualTime;
  readonly #events: StreamEvents;
  readonly #isPartitioned: () => boolean;
  readonly #receive: (message: ShipMessage) => void;
  readonly #onEnd: () => void;
  #hasEnded = false;

  constructor(time: VirtualTime, events: StreamEvents, isPartitioned: () => boolean,
    receive: (message: ShipMessage) => void, onEnd: () => void)
  {
    this.#time = time;
    this.#events = events;
    this.#isPartitioned = isPartitioned;
    this.#receive = receive;
    this.#onEnd = onEnd;
  }

  send(message: ShipMessage): void {
    void this.#pass(1, () => this.#receive(message));
  }

  deliver(body: MessageInit, delayMs = 1): void {
    void this.#pass(delayMs, () => {
      const message: ServerMessage = create(ServerMessageSchema, { body } as never);
      this.isWelcome ||= message.body.case === 'welcome';
      this.#events.message(message);
    });
  }

  close(): void {
    this.#hasEnded = true;
    this.#onEnd();
  }

  end(reason: 'lost' | 'denied' | 'unknown' | 'outdated'): void {
    if (this.#hasEnded) return;
    this.close();
    void this.#time.sleep(1).then(() => this.#events.ended(reason, `the test says ${reason}`));
  }

  async #pass(delayMs: number, then: () => void): Promise<void> {
    if (this.#isPartitioned()) return;
    await this.#time.sleep(delayMs);
    if (!this.#hasEnded && !this.#isPartitioned()) then();
  }
}

export const refOf = ({ id, attempt, fence }: FakeRun) =>
  ({ $typeName: 'quire.fleet.v1.RunRef', runId: id, attempt, fencingToken: fence }) as RunRef;

const logKey = ({ attempt, fencingToken }: RunRef): string => `${attempt}.${fencingToken}`;

const sameRef = (a: RunRef, b: RunRef): boolean =>
  a.runId === b.runId && a.attempt === b.attempt && a.fencingToken === b.fencingToken;

const holds = (run: FakeRun, ref: RunRef): boolean =>
  (run.state === 'running' || run.state === 'cancelling') && sameRef(ref, refOf(run));

/** Rows 7 and 12 of the state machine. */
const requeue = (run: FakeRun): void => giveUp(run, run.attempt + 1);

function giveUp(run: FakeRun, attempt: number): void {
  Object.assign(run, { state: 'queued', attempt, fence: run.fence + 1n });
}
