import { create } from '@bufbuild/protobuf';
import { type Assignment, type CompleteRunRequest, CompleteRunRequestSchema, CompleteStatus,
  type DownloadArtifactsResponse, Outcome, RecordSourceRequestSchema, ResumeAction, RunErrorSchema, type RunRef,
  UploadArtifactStatus } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type Log, RepeatedFailure } from '../../lib/log.ts';
import { type ArtifactFile, type ArtifactReader, type Executor, StagingFailure,
  type WorkResult } from '../execute/port.ts';
import { refKey, RefusedCall, type ShipLink } from '../link.ts';
import type { Spools } from '../spool/spool-file.ts';
import { RetryPause, type ShipTime, untilAborted } from '../time.ts';
import { Lease } from './lease.ts';
import { LogShipper } from './log-shipper.ts';
import { artifactParts, SharedCaches } from './shared-files.ts';

interface HeldRunOptions {
  readonly assignment: Assignment & { readonly ref: RunRef };
  readonly executor: Executor;
  readonly link: ShipLink;
  readonly spools: Spools;
  readonly time: ShipTime;
  readonly log: Log;
  /** When its lease started, or earlier, by the monotonic clock. */
  readonly leaseFrom: number;
  leaseTtlMs(): number;
  /** Whether the server is unreachable, but the lease continues. */
  isBridging(): boolean;
  /** Must settle before the work may start: an earlier attempt of the same run whose processes are still ending. */
  readonly after: Promise<void>;
  /** Called when the work ends, when the run is discarded, and when everything has ended. Must not throw. */
  onChange(): void;
}

/** Why a run is discarded that the server says is no longer the ship's. */
const FENCED = 'the server has handed it out again or ended it';

/** Why the work was asked to end; the first reason stays, except that a cancel replaces the others. */
type StopReason = 'cancel' | 'partition' | 'return';

/**
 * One attempt of a run, from its assignment until the server knows its result, or until the ship no longer holds it. It
 * does not depend on the connection: it works, sends its log and reports its end by calls that it repeats.
 */
export class HeldRun {
  readonly ref: RunRef;
  readonly key: string;
  /** Resolves when nothing of it is left: no process, file or call. Never rejects. */
  readonly over: Promise<void>;
  /** Resolves when no process of it is alive. Never rejects. */
  readonly workEnded: Promise<void>;
  readonly #options: HeldRunOptions;
  readonly #log: Log;
  readonly #logs: LogShipper;
  readonly #lease: Lease;
  readonly #reports: RetryPause;
  readonly #stop = new AbortController();
  readonly #kill = new AbortController();
  readonly #workEnded = new AbortController();
  #stopReason: StopReason | undefined;
  #graceMs: number;
  #started = false;
  #isOver = false;
  /** Resolves when the server knows the commit of the work, or never will. */
  #sourceReported: Promise<void> = Promise.resolve();

  constructor(options: HeldRunOptions) {
    const { assignment, time, link } = options;
    this.#options = options;
    this.ref = assignment.ref;
    this.key = refKey(this.ref);
    this.#log = options.log.child({ run: this.ref.runId, attempt: this.ref.attempt });
    this.#graceMs = Number(assignment.cancelGraceMs);
    this.#reports = new RetryPause(time.timer, time.random);
    this.#logs = new LogShipper({
      ref: this.ref,
      limits: assignment.limits,
      openFile: () => options.spools.create(`${this.key}.log`),
      link,
      time,
      log: this.#log,
      isBridging: () => options.isBridging(),
      onFenced: () => this.discard(FENCED),
    });
    this.#lease = new Lease({
      time,
      from: options.leaseFrom,
      ttlMs: options.leaseTtlMs,
      graceMs: this.#graceMs,
      onStop: () => this.#stopFor('partition', this.#graceMs),
      onKill: () => this.discard('its lease is about to end'),
    });
    const result = this.#work();
    this.workEnded = result.then(() => undefined);
    this.over = this.#finish(result);
  }

  /** Its work, or the rest of it, uses a slot. */
  get isWorking(): boolean {
    return !this.#workEnded.signal.aborted;
  }

  /** The work has ended but the server does not know it yet. */
  get isFinished(): boolean {
    return !this.isWorking && this.isHeld;
  }

  /** The ship holds it. */
  get isHeld(): boolean {
    return !this.#kill.signal.aborted && !this.#isOver;
  }

  /** How long it can continue without the server. */
  get outageMs(): number {
    return this.isWorking && this.#options.assignment.stopOnPartition ? this.#lease.leftMs() : Infinity;
  }

  renew(sentAt: number): void {
    this.#lease.renew(sentAt);
  }

  /** Handles what the server said about it when the ship reconnected. */
  resume(action: ResumeAction, nextSeq: bigint): void {
    if (action === ResumeAction.DISCARD) return this.discard('the server has taken it back');
    this.#logs.resume(Number(nextSeq));
    this.#reports.hurry();
    if (action === ResumeAction.STOP) this.cancel(this.#graceMs);
  }

  /** Asks the work to end, and reports its result. */
  cancel(graceMs: number): void {
    this.#stopFor('cancel', graceMs);
  }

  /** Ends the work and returns the run. */
  giveBack(): void {
    this.#stopFor('return', this.#graceMs);
  }

  /** Kills the work and reports nothing: the ship no longer holds the run. */
  discard(reason: string): void {
    if (!this.isHeld) return;
    // A run whose end was just recorded is no longer held either; nothing is lost then.
    this.#log[this.isWorking ? 'warn' : 'info']({ reason, working: this.isWorking }, 'run discarded');
    this.#kill.abort();
    this.#logs.stop();
    this.#options.onChange();
  }

  #stopFor(reason: StopReason, graceMs: number): void {
    if (!this.isWorking || (this.#stopReason !== undefined && reason !== 'cancel')) return;
    this.#stopReason = reason;
    if (this.#stop.signal.aborted) return;
    this.#log.info({ reason }, 'stopping run');
    this.#graceMs = graceMs;
    this.#stop.abort();
  }

  async #finish(work: Promise<WorkResult>): Promise<void> {
    const result = await work;
    // After a freeze, a ship learns that its work is dead before it learns how much time has passed.
    if (this.#options.assignment.stopOnPartition && this.#lease.isOver) this.discard('its lease has ended');
    this.#workEnded.abort('ended'); // a reason of its own saves an exception
    this.#options.onChange();
    if (!this.#kill.signal.aborted) await this.#report(this.#judge(result));
    await this.#logs.remove();
    this.#isOver = true;
    this.#options.onChange();
  }

  async #work(): Promise<WorkResult> {
    const { assignment, executor, after } = this.#options;
    if (assignment.stopOnPartition) void this.#lease.watch(this.#workEnded.signal);
    const caches = new SharedCaches({
      ...this.#options,
      ref: this.ref,
      kill: this.#kill.signal,
      onFenced: () => this.discard(FENCED),
    });
    await after;
    if (this.#kill.signal.aborted || this.#stop.signal.aborted) return { outcome: Outcome.CANCELLED };
    try {
      return await executor.execute(assignment, this.#logs, {
        stop: this.#stop.signal,
        kill: this.#kill.signal,
        graceMs: () => this.#graceMs,
        // A lease that ends, and a ship that has to end, leave no further time.
        alwaysGraceMs: () => (this.#stopReason === 'cancel' ? Number(assignment.alwaysGraceMs) : 0),
        leaseLeft: assignment.stopOnPartition ? () => this.#lease.untilDeadMs() : undefined,
        started: () => (this.#started = true),
        keepArtifact: (file, signal) => this.#keepArtifact(file, signal),
        restoreArtifacts: (receive, signal) => this.#restoreArtifacts(receive, signal),
        fetchCache: (...args) => caches.fetch(...args),
        keepCache: (...args) => caches.keep(...args),
        discardCache: (...args) => caches.discard(...args),
        sourceFound: (gitRef, commit) => (this.#sourceReported = this.#reportSource(gitRef, commit)),
      });
    } catch (err) {
      this.#log.error({ err }, 'the executor failed');
      return {
        outcome: Outcome.SHIP_ERROR,
        error: create(RunErrorSchema, { code: 'internal', message: 'the ship failed to execute the run' }),
      };
    }
  }

  /**
   * Work that the ship stopped for its own reasons gets the ship's own error; all other results are reported unchanged.
   */
  #judge(result: WorkResult): WorkResult {
    if (result.outcome !== Outcome.CANCELLED) return result;
    if (this.#stopReason === 'return') return { outcome: Outcome.RETURNED };
    if (this.#stopReason !== 'partition') return result;
    return {
      outcome: Outcome.SHIP_ERROR,
      error: create(RunErrorSchema, {
        code: 'lease_lost',
        message: 'the ship could not reach the service, and stopped the run',
      }),
    };
  }

  /** The end is reported after the log, and repeated until the server has received it. */
  async #report(result: WorkResult): Promise<void> {
    await this.#logs.finish();
    await this.#sourceReported;
    let request = this.#completion(result);
    const failure = new RepeatedFailure(this.#log, 'cannot report the end of a run now');
    while (!this.#kill.signal.aborted) {
      try {
        const answer = await untilAborted(this.#options.link.completeRun(request), this.#kill.signal);
        if (answer?.status === CompleteStatus.COMPLETE_FENCED)
          this.#log.warn({}, "the end of a run came too late: it is no longer this ship's");
        if (answer !== undefined && answer.status !== CompleteStatus.COMPLETE_UNSPECIFIED) return;
      } catch (err) {
        if (err instanceof RefusedCall) {
          this.#log.error({ err }, 'the server refuses the end of a run');
          // The next report lacks what was refused. If it is refused too, nothing is reported: the lease ends, and the
          // server continues from there.
          if (request.outcome === Outcome.SHIP_ERROR) return;
          request = this.#completion({
            outcome: Outcome.SHIP_ERROR,
            error: create(RunErrorSchema, { code: 'internal', message: 'the service refused how the run ended' }),
          });
          continue;
        }
        failure.note(err);
      }
      await this.#reports.afterFailure(this.#kill.signal);
    }
  }

  /** Further attempts use the same commit, so it is reported at once, and repeated until the server has received it. */
  async #reportSource(gitRef: string, commit: string): Promise<void> {
    const request = create(RecordSourceRequestSchema, { ref: this.ref, gitRef, commit });
    const failure = new RepeatedFailure(this.#log, 'cannot tell now which commit a run works on');
    while (!this.#kill.signal.aborted) {
      try {
        await untilAborted(this.#options.link.recordSource(request), this.#kill.signal);
        return;
      } catch (err) {
        if (err instanceof RefusedCall) {
          this.#log.warn({ err }, 'the server does not take which commit a run works on');
          return;
        }
        failure.note(err);
        // The end of the run must not wait for this report: the next attempt resolves the ref again.
        if (!this.isWorking) return;
      }
      await this.#reports.afterFailure(this.#kill.signal);
    }
  }

  /** Sends a file until the server has stored or refused it, or the work has to end; returns why it is not stored. */
  async #keepArtifact(file: ArtifactFile, ended: AbortSignal): Promise<string | undefined> {
    const over = AbortSignal.any([this.#kill.signal, ended]);
    const pause = new RetryPause(this.#options.time.timer, this.#options.time.random);
    const failure = new RepeatedFailure(this.#log, 'cannot send an artefact now');
    while (!over.aborted) {
      try {
        const { status, message } = await this.#options.link.uploadArtifact(artifactParts(this.ref, file), over);
        if (status === UploadArtifactStatus.KEPT) return undefined;
        if (status === UploadArtifactStatus.UPLOAD_ARTIFACT_FENCED) this.discard(FENCED);
        return message || "the run is no longer this ship's";
      } catch (err) {
        if (err instanceof RefusedCall) return `the server refuses it: ${err.message}`;
        if (!over.aborted) failure.note(err);
      }
      await pause.afterFailure(over);
    }
    return 'the run had to end';
  }

  /**
   * Reads the artefacts of the steps before an approval until that succeeds, or the work has to end; returns why it did
   * not.
   */
  async #restoreArtifacts(receive: ArtifactReader, ended: AbortSignal): Promise<string | undefined> {
    const over = AbortSignal.any([this.#kill.signal, ended]);
    const pause = new RetryPause(this.#options.time.timer, this.#options.time.random);
    const failure = new RepeatedFailure(this.#log, 'cannot fetch artefacts now');
    while (!over.aborted) {
      try {
        await receive(this.#unlessFenced(this.#options.link.downloadArtifacts(this.ref, over)));
        return undefined;
      } catch (err) {
        if (err instanceof StagingFailure) return err.message;
        if (!over.aborted) failure.note(err);
      }
      await pause.afterFailure(over);
    }
    return 'the run had to end';
  }

  async *#unlessFenced(messages: AsyncIterable<DownloadArtifactsResponse>): AsyncGenerator<DownloadArtifactsResponse> {
    for await (const message of messages) {
      if (message.body.case === 'fenced') this.discard(FENCED);
      yield message;
    }
  }

  #completion({ outcome, error, result, summary, steps = [] }: WorkResult): CompleteRunRequest {
    return create(CompleteRunRequestSchema, {
      ref: this.ref,
      outcome,
      started: this.#started,
      logSeqTotal: BigInt(this.#logs.total),
      logLinesLeftOut: BigInt(this.#logs.leftOut),
      steps: steps.map(({ startedMs, endedMs, exitCode, signal, ...step }) => ({
        ...step,
        startedUnixMs: BigInt(Math.round(startedMs)),
        endedUnixMs: BigInt(Math.round(endedMs)),
        signal: signal ?? '',
        exitCode: exitCode ?? undefined,
      })),
      error,
      result: result?.body,
      resultType: result?.type,
      summary: summary ?? '',
    });
  }
}
