import { type Assignment, type CompleteRunRequest, CompleteStatus, type DiscardCacheRequest, type DownloadCacheRequest,
  Outcome, type RecordSourceRequest, type RunRef, type StreamLogsRequest, type UploadArtifactRequest,
  type UploadCacheRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { silentLog } from '../../lib/log.ts';
import { RemoteLink } from '../../ship/grpc/index.ts';
import { type Identity, joinFleet, readJoinToken } from '../../ship/identity/index.ts';
import { type ControlStream, createShip, type Executor, type Ship, type ShipDescription, type ShipLink,
  type StreamEvents, systemShipTime, toShipInfo } from '../../ship/index.ts';
import { MemorySpools } from '../ship/memory-spools.ts';
import { TcpProxy } from '../ship/tcp-proxy.ts';
import type { QueueServer } from './queue-server.ts';

const CAPACITY = 4;

/** One execution of a run's work, as seen by its ship. */
export interface Execution {
  readonly runId: string;
  readonly attempt: number;
  readonly fence: number;
  readonly shipId: string;
  /** It was completed before its ship crashed. */
  finished: boolean;
  /** The server has acknowledged the end; its response may have been lost on the way. */
  recorded: boolean;
  /** The ship's process ended before it received the acknowledgement. */
  crashed: boolean;
}

/** The work of a run: resolves when it is done, or when the signal aborts. */
export type Work = (assignment: Assignment, signal: AbortSignal) => Promise<void>;

/** A member of the fleet, behind its own network: real gRPC over TLS, and work that a test defines. */
export class FleetShip {
  readonly id: string;
  readonly proxy: TcpProxy;
  readonly executions: Execution[] = [];
  readonly #identity: Identity;
  readonly #work: Work;
  #life: Life | undefined;

  static async join(server: QueueServer, name: string, work: Work): Promise<FleetShip> {
    const info = toShipInfo(descriptionOf(name), KINDS);
    const identity = await joinFleet({
      ...server.enrol,
      token: readJoinToken(await server.makeToken(name))!,
      info,
      now: () => Date.now(),
    });
    return new FleetShip(identity, await TcpProxy.start(server.fleet), work);
  }

  private constructor(identity: Identity, proxy: TcpProxy, work: Work) {
    this.id = identity.shipId;
    this.proxy = proxy;
    this.#identity = identity;
    this.#work = work;
  }

  /** Starts a process of it, which knows nothing of earlier ones. */
  start(): void {
    this.#life = new Life({
      identity: this.#identity,
      port: this.proxy.port,
      work: this.#work,
      executions: this.executions,
    });
  }

  /** From this moment on, nothing that its process does or sends has an effect. */
  crash(): void {
    this.#life?.crash();
  }

  /** Ends it gracefully, together with its current work; resolves with the reason. */
  async end(): Promise<string> {
    const reason = await this.#life!.end();
    await this.proxy.close();
    return reason;
  }
}

const KINDS = ['pipeline'] as const;

const descriptionOf = (name: string): ShipDescription => ({
  name,
  version: '1.0.0',
  os: 'linux',
  arch: 'amd64',
  keyVariables: [],
  capacity: CAPACITY,
  ephemeral: false,
});

interface LifeOptions {
  readonly identity: Identity;
  readonly port: number;
  readonly work: Work;
  readonly executions: Execution[];
}

/** One process of a ship. */
class Life {
  readonly #link: CutOffLink;
  readonly #ship: Ship;
  readonly #over: Promise<string>;
  readonly #crashed = new AbortController();
  readonly #executions: Execution[] = [];

  constructor({ identity, port, work, executions }: LifeOptions) {
    this.#link = new CutOffLink(new RemoteLink({
      address: { host: '127.0.0.1', port },
      credentials: identity,
      onTrustBundle: () => undefined,
      provesRevocation: () => false,
    }), (request) => this.#recorded(request));
    const executor: Executor = {
      kinds: KINDS,
      refuses: () => undefined,
      execute: async (assignment, output, control) => {
        const { runId, attempt, fencingToken } = assignment.ref!;
        const execution: Execution = {
          runId,
          attempt,
          fence: Number(fencingToken),
          shipId: identity.shipId,
          finished: false,
          recorded: false,
          crashed: false,
        };
        for (const list of [executions, this.#executions]) list.push(execution);
        control.started();
        await output.write({
          unixMs: Date.now(),
          level: 'info',
          stream: 'stdout',
          step: null,
          message: `${runId} ${attempt}`,
        });
        const ended = AbortSignal.any([control.stop, control.kill, this.#crashed.signal]);
        await work(assignment, ended);
        if (ended.aborted) return { outcome: Outcome.CANCELLED };
        execution.finished = true;
        return { outcome: Outcome.SUCCEEDED };
      },
    };
    this.#ship = createShip({
      link: this.#link,
      executor,
      spools: new MemorySpools(),
      time: systemShipTime,
      log: silentLog,
      description: descriptionOf(identity.name),
    });
    this.#over = this.#ship.run();
  }

  crash(): void {
    for (const execution of this.#executions) execution.crashed ||= !execution.recorded;
    this.#crashed.abort();
    this.#link.cutOff();
  }

  async end(): Promise<string> {
    this.#ship.drain({ exit: true });
    const reason = await this.#over;
    this.#link.cutOff();
    return reason;
  }

  #recorded({ ref }: CompleteRunRequest): void {
    const execution = this.#executions.find(({ runId, fence }) =>
      runId === ref!.runId && fence === Number(ref!.fencingToken)
    );
    if (execution !== undefined) execution.recorded = true;
  }
}

/** A connection to the server that ends in the middle of any operation, as when a process is killed. */
class CutOffLink implements ShipLink {
  readonly #link: RemoteLink;
  readonly #onRecorded: (request: CompleteRunRequest) => void;
  #events: StreamEvents | undefined;
  #isCutOff = false;

  constructor(link: RemoteLink, onRecorded: (request: CompleteRunRequest) => void) {
    this.#link = link;
    this.#onRecorded = onRecorded;
  }

  connect(events: StreamEvents): ControlStream {
    if (this.#isCutOff) {
      setImmediate(() => this.#fail(events));
      return { send: () => undefined, close: () => undefined };
    }
    this.#events = events;
    return this.#link.connect({
      message: (message) => {
        if (!this.#isCutOff) events.message(message);
      },
      ended: (reason, detail) => {
        if (!this.#isCutOff) events.ended(reason, detail);
      },
    });
  }

  appendLogs(request: StreamLogsRequest) {
    return this.#heard(this.#link.appendLogs(request));
  }

  recordSource(request: RecordSourceRequest) {
    return this.#link.recordSource(request);
  }

  uploadArtifact(parts: AsyncIterable<UploadArtifactRequest>, signal: AbortSignal) {
    return this.#link.uploadArtifact(parts, signal);
  }

  downloadArtifacts(ref: RunRef, signal: AbortSignal) {
    return this.#link.downloadArtifacts(ref, signal);
  }

  uploadCache(parts: AsyncIterable<UploadCacheRequest>, signal: AbortSignal) {
    return this.#link.uploadCache(parts, signal);
  }

  downloadCache(request: DownloadCacheRequest, signal: AbortSignal) {
    return this.#link.downloadCache(request, signal);
  }

  discardCache(request: DiscardCacheRequest) {
    return this.#link.discardCache(request);
  }

  async completeRun(request: CompleteRunRequest) {
    const answer = await this.#heard(this.#link.completeRun(request));
    if (answer.status === CompleteStatus.RECORDED || answer.status === CompleteStatus.ALREADY_RECORDED)
      this.#onRecorded(request);
    return answer;
  }

  cutOff(): void {
    if (this.#isCutOff) return;
    this.#isCutOff = true;
    this.#link.close();
    if (this.#events !== undefined) this.#fail(this.#events);
  }

  /** Ends what is left of the ship in this process, without sending anything. */
  #fail(events: StreamEvents): void {
    events.ended('denied', 'it crashed');
  }

  /** Returns the response, unless the ship's process has ended. */
  async #heard<T>(answer: Promise<T>): Promise<T> {
    try {
      const heard = await answer;
      if (!this.#isCutOff) return heard;
    } catch (error) {
      if (!this.#isCutOff) throw error;
    }
    return new Promise(() => undefined);
  }
}
