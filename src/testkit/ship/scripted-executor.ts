import { create } from '@bufbuild/protobuf';
import { type Assignment, Outcome, RunErrorSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Executor, OutputSink, WorkControl, WorkResult } from '../../ship/index.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The work of a run, read as JSON from the input of its assignment. */
export interface Script {
  readonly lines: number;
  readonly durationMs: number;
  /** How long it takes to end after it is asked to; the executor kills it after the grace period. */
  readonly dyingMs?: number;
  readonly outcome?: 'succeeded' | 'failed';
  /** Number of bytes of each line. */
  readonly lineBytes?: number;
}

/** One execution, as it happened. */
export interface Execution {
  readonly runId: string;
  readonly attempt: number;
  readonly fence: bigint;
  readonly startedAt: number;
  endedAt: number | undefined;
}

/** Executes the scripts in virtual time, and records the executions. */
export class ScriptedExecutor implements Executor {
  readonly kinds = ['diagnostic', 'pipeline', 'ai_text'] as const;
  readonly executions: Execution[] = [];
  refusal: string | undefined;
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  refuses(): string | undefined {
    return this.refusal;
  }

  get alive(): Execution[] {
    return this.executions.filter(({ endedAt }) => endedAt === undefined);
  }

  async execute(assignment: Assignment, output: OutputSink, control: WorkControl): Promise<WorkResult> {
    const { runId, attempt, fencingToken } = assignment.ref!;
    const execution: Execution = {
      runId,
      attempt,
      fence: fencingToken,
      startedAt: this.#time.now(),
      endedAt: undefined,
    };
    this.executions.push(execution);
    try {
      return await this.#play(JSON.parse(Buffer.from(assignment.input).toString()) as Script,
        `${runId}.${attempt}.${fencingToken}`, output, control);
    } finally {
      // A process that is killed does not end at once.
      if (control.kill.aborted) await this.#time.sleep(20);
      execution.endedAt = this.#time.now();
    }
  }

  async #play(script: Script, name: string, output: OutputSink, control: WorkControl): Promise<WorkResult> {
    const { lines, durationMs, dyingMs = 0, lineBytes = 0, outcome = 'succeeded' } = script;
    control.started();
    const gone = AbortSignal.any([control.stop, control.kill]);
    const pause = durationMs / (lines + 1);
    for (let line = 0; line <= lines && !gone.aborted; line++) {
      await this.#time.sleep(pause, gone);
      if (line === lines || gone.aborted) break;
      await output.write({
        unixMs: this.#time.now(),
        level: 'info',
        stream: 'stdout',
        step: 'only',
        message: `${name}#${line}`.padEnd(lineBytes, '.'),
      });
    }
    if (!gone.aborted)
      return outcome === 'succeeded'
        ? { outcome: Outcome.SUCCEEDED }
        : { outcome: Outcome.FAILED, error: create(RunErrorSchema, { code: 'step_failed' }) };
    await this.#time.sleep(Math.min(dyingMs, control.graceMs()), control.kill);
    return { outcome: Outcome.CANCELLED };
  }
}
