import { create } from '@bufbuild/protobuf';
import { type AppendLogsResponse, AppendLogsResponseSchema, AppendStatus, type CompleteRunRequest,
  type CompleteRunResponse, CompleteRunResponseSchema, CompleteStatus, type LogLine, Outcome as WireOutcome,
  type RecordSourceRequest, type RecordSourceResponse, RecordSourceResponseSchema, RecordSourceStatus, type RunError,
  type StepReport } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { isCommit, isGitRef } from '../../lib/git-ref.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { RunLogs, ShipLine } from '../logs/port.ts';
import { type Completion, type CompletionStatus, type Outcome, type Queue, type RunRef, type StepRecord,
  WORK_CODES } from '../queue/port.ts';
import { FleetRefusal, type Lines, type Peer } from './port.ts';
import { requireRef } from './refs.ts';
import type { ClockOffsets } from './session/clock-offsets.ts';

const MAX_LINES = 500;
const MAX_RESULT_BYTES = 1_048_576;
const MAX_SUMMARY_BYTES = 65_536;
const MAX_MESSAGE = 2000;
const MAX_NAME = 256;
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,128}(;[ -~]{0,64})?$/;

interface ReportDeps {
  readonly queue: Pick<Queue, 'complete' | 'holds' | 'recordSource'>;
  readonly logs: Pick<RunLogs, 'append' | 'nextSeq' | 'isFull' | 'note'>;
  readonly fencedWrite: (rpc: 'AppendLogs' | 'CompleteRun' | 'RecordSource') => void;
  readonly linesLost: (count: number) => void;
  readonly offsets: ClockOffsets;
}

/** Marks a run as being reported by its ship while the work records its end. */
type Reporting = (ref: RunRef, work: () => Promise<CompletionStatus>) => Promise<CompletionStatus>;

/** Handles the reports of ships on runs: logs and ends. Each report may arrive twice. */
export class Reports {
  readonly #env: Pick<RunsEnvironment, 'sql'>;
  readonly #deps: ReportDeps;
  /** Lines that are being stored, by attempt. */
  readonly #appending = new Map<string, Set<Promise<unknown>>>();

  constructor(env: Pick<RunsEnvironment, 'sql'>, deps: ReportDeps) {
    this.#env = env;
    this.#deps = deps;
  }

  async appendLogs({ shipId }: Peer, request: Lines): Promise<AppendLogsResponse> {
    const ref = requireRef(request.ref);
    if (request.lines.length > MAX_LINES)
      throw new FleetRefusal('invalid_argument', `lines must be at most ${MAX_LINES}, got ${request.lines.length}`);
    const offset = this.#deps.offsets.of(shipId);
    const lines = request.lines.map((line) => readLine(line, offset));
    const { status, nextSeq } = await this.#track(ref,
      this.#deps.logs.append(ref, shipId, readSeq(request.firstSeq, 'first_seq'), lines, request.truncated));
    if (status === 'fenced') this.#deps.fencedWrite('AppendLogs');
    return create(AppendLogsResponseSchema, { status: APPEND_STATUS[status], nextSeq: BigInt(nextSeq) });
  }

  async completeRun({ shipId }: Peer, request: CompleteRunRequest, reporting: Reporting): Promise<CompleteRunResponse> {
    const ref = requireRef(request.ref);
    const completion = { ...readCompletion(request), steps: readSteps(request.steps, this.#deps.offsets.of(shipId)) };
    const [total, leftOut] = [readSeq(request.logSeqTotal, 'log_seq_total'),
      readSeq(request.logLinesLeftOut, 'log_lines_left_out')];
    await Promise.allSettled(this.#appending.get(keyOf(ref)) ?? []);
    const status = await reporting(ref, async () => {
      await this.#noteLostLines(ref, shipId, total);
      return this.#deps.queue.complete(ref, shipId, completion);
    });
    if (status === 'fenced') this.#deps.fencedWrite('CompleteRun');
    if (status === 'recorded' && leftOut > 0) this.#deps.linesLost(leftOut);
    return create(CompleteRunResponseSchema, { status: COMPLETE_STATUS[status] });
  }

  async recordSource({ shipId }: Peer, request: RecordSourceRequest): Promise<RecordSourceResponse> {
    const ref = requireRef(request.ref);
    const { gitRef, commit } = request;
    if (!isCommit(commit))
      throw new FleetRefusal('invalid_argument', 'commit must be 40 or 64 lower-case hexadecimal characters');
    if (!isGitRef(gitRef)) throw new FleetRefusal('invalid_argument', 'git_ref must name a branch, a tag or a commit');
    const status = await this.#deps.queue.recordSource(ref, shipId, { gitRef, commit });
    if (status === 'fenced') this.#deps.fencedWrite('RecordSource');
    return create(RecordSourceResponseSchema, {
      status: status === 'recorded' ? RecordSourceStatus.SOURCE_RECORDED : RecordSourceStatus.RECORD_SOURCE_FENCED,
    });
  }

  /** Lines above the budget are dropped on purpose, and the log says so already, so they do not count as lost. */
  async #noteLostLines(ref: RunRef, shipId: string, total: number): Promise<void> {
    if (total === 0) return;
    const { queue, logs } = this.#deps;
    const missing = total - await logs.nextSeq(ref.runId, ref.attempt);
    if (missing <= 0 || await logs.isFull(ref.runId, ref.attempt)) return;
    await this.#env.sql.transaction(async (tx) => {
      if (!await queue.holds(tx, ref, shipId)) return;
      await logs.note(tx, ref.runId, ref.attempt, 'warn',
        `${missing} ${missing === 1 ? 'line' : 'lines'} of the log did not reach the service and ${
          missing === 1 ? 'is' : 'are'
        } lost`, true);
      tx.onCommit(() => this.#deps.linesLost(missing));
    });
  }

  async #track<T>(ref: RunRef, work: Promise<T>): Promise<T> {
    const key = keyOf(ref);
    const pending = this.#appending.get(key) ?? new Set();
    this.#appending.set(key, pending.add(work));
    try {
      return await work;
    } finally {
      pending.delete(work);
      if (pending.size === 0) this.#appending.delete(key);
    }
  }
}

const keyOf = ({ runId, attempt }: RunRef): string => `${runId}.${attempt}`;

const APPEND_STATUS = {
  stored: AppendStatus.STORED,
  gap: AppendStatus.GAP,
  budget: AppendStatus.BUDGET,
  fenced: AppendStatus.APPEND_FENCED,
} as const;

const COMPLETE_STATUS: Readonly<Record<CompletionStatus, CompleteStatus>> = {
  recorded: CompleteStatus.RECORDED,
  already_recorded: CompleteStatus.ALREADY_RECORDED,
  fenced: CompleteStatus.COMPLETE_FENCED,
};

const OUTCOMES: Readonly<Partial<Record<WireOutcome, Outcome>>> = {
  [WireOutcome.SUCCEEDED]: 'succeeded',
  [WireOutcome.FAILED]: 'failed',
  [WireOutcome.CANCELLED]: 'cancelled',
  [WireOutcome.TIMED_OUT]: 'timed_out',
  [WireOutcome.SHIP_ERROR]: 'ship_error',
  [WireOutcome.RETURNED]: 'returned',
};

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const STREAMS = ['stdout', 'stderr', 'system'] as const;
/** Of the numbers in the protocol, from 1 on. */
const STEP_STATES = ['running', 'succeeded', 'failed', 'timed_out', 'stopped'] as const;

function readLine({ unixMs, level, stream, step, message, stepState }: LogLine, offset: number): ShipLine {
  const state = STEP_STATES[stepState - 1];
  return {
    unixMs: Number(unixMs) + offset,
    level: LEVELS[level] ?? 'info',
    stream: STREAMS[stream] ?? 'system',
    step: textOf(step, MAX_NAME),
    message,
    ...(state && { stepState: state }),
  };
}

function readSeq(value: bigint, field: string): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new FleetRefusal('invalid_argument', `${field} is too large`);
  return Number(value);
}

function readCompletion({ outcome, error, result, resultType, summary, started }: CompleteRunRequest): Completion {
  const known = OUTCOMES[outcome];
  if (known === undefined) throw new FleetRefusal('invalid_argument', 'outcome is missing or unknown');
  if (result.length > MAX_RESULT_BYTES)
    throw new FleetRefusal('invalid_argument',
      `result must have at most ${MAX_RESULT_BYTES} bytes, got ${result.length}`);
  if (resultType !== '' && !MEDIA_TYPE.test(resultType))
    throw new FleetRefusal('invalid_argument', 'result_type must be a media type');
  if (Buffer.byteLength(summary) > MAX_SUMMARY_BYTES)
    throw new FleetRefusal('invalid_argument', `summary must have at most ${MAX_SUMMARY_BYTES} bytes`);
  return {
    outcome: known,
    started,
    error: error && readError(error),
    result: resultType === '' ? undefined : { body: result, type: resultType },
    // PostgreSQL stores no zero in texts.
    summary: summary.replaceAll('\0', '') || undefined,
  };
}

const STEP_OUTCOMES: ReadonlySet<string> = new Set<StepRecord['outcome']>(['succeeded', 'failed', 'timed_out',
  'stopped']);
/** Most steps of a pipeline. */
const MAX_STEPS = 100;

function readSteps(steps: readonly StepReport[], offset: number): StepRecord[] {
  if (steps.length > MAX_STEPS)
    throw new FleetRefusal('invalid_argument', `steps must be at most ${MAX_STEPS}, got ${steps.length}`);
  return steps.map(({ name, startedUnixMs, endedUnixMs, outcome, exitCode, signal }) => ({
    name: textOf(name, MAX_NAME) ?? '',
    startedMs: Number(startedUnixMs) + offset,
    endedMs: Number(endedUnixMs) + offset,
    outcome: STEP_OUTCOMES.has(outcome) ? (outcome as StepRecord['outcome']) : 'failed',
    exitCode: exitCode ?? null,
    signal: textOf(signal, MAX_NAME),
  }));
}

function readError({ code, message, step, exitCode, signal }: RunError): NonNullable<Completion['error']> {
  return {
    code: WORK_CODES.find((known) => known === code) ?? 'internal',
    message: textOf(message, MAX_MESSAGE) ?? '',
    step: textOf(step, MAX_NAME),
    exitCode: exitCode ?? null,
    signal: textOf(signal, MAX_NAME),
  };
}

/** Cuts a text of a ship to this many characters; returns null for none. */
function textOf(text: string, most: number): string | null {
  return text === '' ? null : text.slice(0, most).toWellFormed();
}
