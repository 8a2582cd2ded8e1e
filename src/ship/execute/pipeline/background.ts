import type { Step } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { marksOf } from '../context.ts';
import type { Failure } from '../failure.ts';
import type { StepResult } from '../port.ts';
import { killLeftovers, type Marks } from '../process/leftovers.ts';
import { type ProcessEnd, runProcess } from '../process/run-process.ts';
import { prepareStep, type StepSetting } from './run-step.ts';

/**
 * The steps of a run with `background: true`: their processes go on beside the next steps and end with the run. Other
 * steps spare them when they kill what they leave.
 */
export class BackgroundSteps {
  readonly #running = new Map<string, Marks>();
  readonly #ends: Promise<void>[] = [];
  readonly #stop = new AbortController();

  /** The processes of the steps that run now. */
  get marks(): readonly Marks[] {
    return [...this.#running.values()];
  }

  /**
   * Starts a step, and returns why it cannot start. Its result is added to `steps` at once, and is complete after
   * `end`.
   */
  async start(setting: StepSetting, step: Step, steps: StepResult[]): Promise<Failure | undefined> {
    const { context: { clock }, work } = setting;
    const prepared = await prepareStep(setting, step);
    if ('code' in prepared) return prepared;
    const result = {
      name: step.name,
      startedMs: clock.now(),
      endedMs: 0,
      outcome: 'succeeded',
      exitCode: null,
      signal: null,
    } as StepResult;
    const marks = [...marksOf(work.ref), `QUIRE_STEP=${step.name}`];
    const started = Promise.withResolvers<void>();
    const ended = runProcess({
      ...prepared.process,
      marks,
      besideOthers: true,
      onStart: (group) => {
        this.#running.set(step.name, { group, variables: marks });
        started.resolve();
      },
    }, {
      stop: this.#stop.signal,
      graceMs: () => work.limits.alwaysGraceMs,
      kill: work.limits.alwaysOver,
      leaseLeft: work.limits.leaseLeft,
    });
    await Promise.race([started.promise, ended]);
    if (!this.#running.has(step.name)) return prepared.failureOf(await ended);
    steps.push(result);
    void work.output.stepIs('running', step.name, `step ${step.name} begins, beside the next ones`);
    this.#ends.push(ended.then((end) => this.#ended(setting, result, end)));
    return undefined;
  }

  /** Stops all of them: SIGTERM, and SIGKILL after the grace. None of their processes is alive when it resolves. */
  async end({ work }: StepSetting): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#ends);
    if (this.#ends.length > 0) await killLeftovers({ variables: marksOf(work.ref) });
  }

  async #ended({ context, work }: StepSetting, result: StepResult,
    { stopped, exitCode, signal }: ProcessEnd): Promise<void>
  {
    this.#running.delete(result.name);
    const failed = !stopped && exitCode !== 0;
    Object.assign(result, { endedMs: context.clock.now(), exitCode, signal, outcome: failed ? 'failed' : 'succeeded' });
    if (stopped || work.limits.alwaysOver.aborted)
      return work.output.stepIs(result.outcome, result.name, `step ${result.name} ends with the run`);
    const how = exitCode === null ? `was ended by ${signal}` : `exited with code ${exitCode}`;
    await work.output.note(failed ? 'warn' : 'info',
      `the background step ${result.name} ${how} before the end of the run`, result.name);
    await work.output.stepIs(result.outcome, result.name, `step ${result.name} has ended`);
  }
}
