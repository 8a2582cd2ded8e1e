import type { Marks } from '../process/leftovers.ts';
import { type ProcessEnd, type ProcessPlan, type ProcessSignals, runProcess } from '../process/run-process.ts';

/** Identifies the processes of one step, service or tool among those of its run: a variable that all of them have. */
export interface Owner {
  readonly variable: 'QUIRE_STEP' | 'QUIRE_TOOL';
  /** Unique among those of the variable that are alive at the same time. */
  readonly name: string;
}

/**
 * The steps, services and tools of a run whose processes are alive. What ends kills all processes of the run that
 * belong to none of the others, so nothing that it leaves reaches what starts later.
 */
export class LivingWork {
  /** Whether what starts may have others beside it, now or before its end. */
  readonly isShared: boolean;
  readonly #living = new Map<string, Marks>();

  constructor(isShared: boolean) {
    this.isShared = isShared;
  }

  /** Like `runProcess`, for a plan whose environment has the variable of its owner. */
  async run(owner: Owner, plan: Omit<ProcessPlan, 'spared'>, signals: ProcessSignals): Promise<ProcessEnd> {
    const key = `${owner.variable}=${owner.name}`;
    const variables = [...plan.marks, key];
    // Before it starts, because others may end in the same moment.
    this.#living.set(key, { variables });
    try {
      return await runProcess({
        ...plan,
        spared: this.isShared
          ? () => [...this.#living].flatMap(([other, marks]) => (other === key ? [] : [marks]))
          : undefined,
        onStart: (group) => {
          this.#living.set(key, { group, variables });
          plan.onStart?.(group);
        },
      }, signals);
    } finally {
      this.#living.delete(key);
    }
  }
}
