import type { Step } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { marksOf } from '../context.ts';
import type { Failure } from '../failure.ts';
import type { StepResult } from '../port.ts';
import { killLeftovers } from '../process/leftovers.ts';
import type { ProcessEnd } from '../process/run-process.ts';
import { type Prepared, prepareStep, type StepSetting } from './run-step.ts';

/** Work that goes on beside the steps until the last one has ended: services, and steps with `background: true`. */
export class SideWork {
  readonly #ends: Promise<void>[] = [];
  readonly #stop = new AbortController();

  /**
   * Starts a process; `ended` is called when it has ended. Resolves once it has started, or with its end if it could
   * not.
   */
  async start({ living, work: { limits } }: StepSetting, { owner, process }: Prepared,
    ended: (end: ProcessEnd) => Promise<void>): Promise<ProcessEnd | undefined>
  {
    const started = Promise.withResolvers<undefined>();
    const end = living.run(owner, { ...process, onStart: () => started.resolve(undefined) }, {
      stop: this.#stop.signal,
      graceMs: () => limits.alwaysGraceMs,
      kill: limits.alwaysOver,
      leaseLeft: limits.leaseLeft,
    });
    const failed = await Promise.race([started.promise, end]);
    if (failed === undefined) this.#ends.push(end.then(ended));
    return failed;
  }

  /** Whether a process was stopped by `end`, or had no time left, rather than ending by itself. */
  isOver({ work: { limits } }: StepSetting, { stopped }: ProcessEnd): boolean {
    return stopped || limits.alwaysOver.aborted;
  }

  /** Stops all of it: SIGTERM, and SIGKILL after the grace. No process of the run is alive when it resolves. */
  async end({ work }: StepSetting): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#ends);
    if (this.#ends.length > 0) await killLeftovers({ variables: marksOf(work.ref) });
  }
}

/** How a process has ended, for people. */
export const howEnded = ({ exitCode, signal }: ProcessEnd): string =>
  exitCode === null ? `was ended by ${signal}` : `exited with code ${exitCode}`;

/**
 * Starts a step in the background, and returns why it cannot start. Its result is added to `steps` at once, and is
 * complete when the side work has ended.
 */
export async function startBackground(setting: StepSetting, side: SideWork, step: Step,
  steps: StepResult[]): Promise<Failure | undefined>
{
  const { context: { clock }, work: { output } } = setting;
  const prepared = await prepareStep(setting, step);
  if ('code' in prepared) return prepared;
  const result: StepResult = {
    name: step.name,
    startedMs: clock.now(),
    endedMs: 0,
    outcome: 'succeeded',
    exitCode: null,
    signal: null,
  };
  const failed = await side.start(setting, prepared, async (end) => {
    const { exitCode, signal } = end;
    const isOver = side.isOver(setting, end);
    const outcome = !end.stopped && exitCode !== 0 ? 'failed' : 'succeeded';
    Object.assign(result, { endedMs: clock.now(), exitCode, signal, outcome });
    if (isOver) return output.stepIs(outcome, step.name, `step ${step.name} ends with the run`);
    await output.note(outcome === 'failed' ? 'warn' : 'info',
      `the background step ${step.name} ${howEnded(end)} before the end of the run`, step.name);
    await output.stepIs(outcome, step.name, `step ${step.name} has ended`);
  });
  if (failed !== undefined) return prepared.failureOf(failed);
  steps.push(result);
  void output.stepIs('running', step.name, `step ${step.name} begins, beside the next ones`);
  return undefined;
}
