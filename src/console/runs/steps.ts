import type { LogEvent, RunAttempt } from '../../../generated/runs/sdk/types.gen.ts';

/** `begun`: the run has ended, and nobody has said how the step did. */
export type ShownState = NonNullable<LogEvent['step_state']> | 'begun' | 'skipped';

/** A step of an attempt, as far as it is known. */
export interface ShownStep {
  readonly name: string;
  readonly state: ShownState;
  /** Milliseconds since 1970. */
  readonly startedMs: number;
  /** Absent while it is under way. */
  readonly endedMs?: number;
}

type StepLine = Pick<LogEvent, 'attempt' | 'step' | 'step_state' | 'time'>;

/**
 * The steps of the last attempt whose lines these are, in the order in which they began. Lines say when steps begin and
 * end, and others why a step has not run; ships of earlier versions write no states, so the first line of a step counts
 * as its beginning. What the ship has reported at the end, and the steps whose lines are gone, are in `attempts`.
 */
export function stepsOf(lines: readonly StepLine[], attempts: readonly RunAttempt[], attempt: number,
  isOver: boolean): ShownStep[]
{
  const steps = new Map<string, ShownStep>();
  const own = lines.filter((line) => line.attempt === attempt);
  const first = own.some(({ step_state: state }) => state === 'running') ? 'skipped' : 'running';
  for (const line of own) {
    if (line.step === null) continue;
    const at = Date.parse(line.time);
    const before = steps.get(line.step);
    const state = line.step_state;
    if (state === undefined) {
      if (before === undefined) steps.set(line.step, { name: line.step, state: first, startedMs: at });
    } else if (state === 'running') {
      if (before?.state !== 'running') steps.set(line.step, { name: line.step, state, startedMs: at });
    } else {
      steps.set(line.step, { name: line.step, state, startedMs: before?.startedMs ?? at, endedMs: at });
    }
  }
  for (const { name, outcome, started_at: started, ended_at: ended } of reportedBy(attempts, attempt))
    steps.set(name, { name, state: outcome, startedMs: Date.parse(started), endedMs: Date.parse(ended) });
  const all = [...steps.values()].sort((a, b) => a.startedMs - b.startedMs);
  return isOver ? all.map((step) => (step.state === 'running' ? { ...step, state: 'begun' } : step)) : all;
}

/** The parts of an attempt between approvals have its number; each has its own steps. */
const reportedBy = (attempts: readonly RunAttempt[], attempt: number) =>
  attempts.filter((each) => each.attempt === attempt).flatMap(({ steps }) => steps);
