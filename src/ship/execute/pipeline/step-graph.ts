import type { Step } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';

/** What of a step decides when it starts. */
export type GraphStep = Pick<Step, 'name' | 'always' | 'runIf' | 'background'> & {
  readonly needs?: { readonly names: readonly string[] } | undefined;
};

export interface GraphState {
  /** Names of the steps that run, apart from those in the background. */
  readonly running: ReadonlySet<string>;
  /** Names of the steps that have ended, go on in the background, or will never start. */
  readonly over: ReadonlySet<string>;
  /** A step before has failed, or the checkout. */
  readonly hasFailed: boolean;
  /** The run is stopped, or its time is over. */
  readonly mustEnd: boolean;
  /** Most steps that run at once. */
  readonly most: number;
}

export interface NextSteps<S> {
  readonly start: readonly S[];
  /** They will not start any more. */
  readonly never: readonly S[];
}

/** Whether a step runs after what has happened before it. */
function isWanted({ always, runIf }: GraphStep,
  { hasFailed, mustEnd }: Pick<GraphState, 'hasFailed' | 'mustEnd'>): boolean
{
  return always || (!mustEnd && (runIf === 'failure') === hasFailed);
}

/**
 * The steps to start now, in the order of the list. A step starts when those that it needs are over, however they have
 * ended; without `needs` that is the one before it. A step that never starts is over, for those that need it, once it
 * could have started. Needs other than steps before it are ignored, so some step can start as long as none runs and not
 * all are over.
 */
export function nextSteps<S extends GraphStep>(steps: readonly S[], state: GraphState): NextSteps<S> {
  const { running, over, most } = state;
  const [start, never]: [S[], S[]] = [[], []];
  const done = new Set(over);
  const before = new Set<string>();
  let [free, previous] = [most - running.size, undefined as string | undefined];
  for (const step of steps) {
    const needs = step.needs?.names ?? (previous === undefined ? [] : [previous]);
    const mayStart = !done.has(step.name) && !running.has(step.name) &&
      needs.every((name) => done.has(name) || !before.has(name));
    if (mayStart && !isWanted(step, state)) {
      never.push(step);
      done.add(step.name);
    } else if (mayStart && (free > 0 || step.background)) {
      start.push(step);
      if (!step.background) free -= 1;
    }
    previous = step.name;
    before.add(step.name);
  }
  return { start, never };
}
