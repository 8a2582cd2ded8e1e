import type { RunAttempt } from '../../../generated/runs/sdk/types.gen.ts';
import type { AttemptRecord } from '../queue/port.ts';

/** An attempt as the API shows it. */
export function presentAttempt(
  { attempt, shipId, startedAt, endedAt, outcome, gitCommit, steps }: AttemptRecord,
): RunAttempt {
  return {
    attempt,
    ship_id: shipId,
    started_at: startedAt,
    ended_at: endedAt,
    outcome,
    commit: gitCommit,
    steps: steps.map((step) => ({
      name: step.name,
      started_at: moment(step.startedMs),
      ended_at: moment(step.endedMs),
      outcome: step.outcome,
      exit_code: step.exitCode,
      signal: step.signal,
    })),
  };
}

/** Clocks of ships may report times that no date can express. */
const moment = (milliseconds: number): string => new Date(Math.min(8.64e15, Math.max(0, milliseconds))).toISOString();
