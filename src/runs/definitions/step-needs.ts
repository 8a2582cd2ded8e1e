import type { StepConfig } from '../config/index.ts';

/**
 * The steps to run, `kept` ones of the whole list, with names for what each waits for. A step that is left out is
 * replaced by what it needs itself. A list in which no step has `needs` is returned as it is: its steps run one after
 * the other.
 */
export function withNeeds(whole: readonly StepConfig[], kept: readonly StepConfig[]): readonly StepConfig[] {
  if (whole.every(({ needs }) => needs === null)) return kept;
  const standsFor = new Map<string, readonly string[]>();
  const steps: StepConfig[] = [];
  let before: readonly string[] = [];
  for (const step of whole) {
    // Approvals part the list: ships get one part at a time.
    if (step.approval.required) {
      before = [];
      if (kept.includes(step)) steps.push(step);
      continue;
    }
    const needs = [...new Set((step.needs ?? before).flatMap((name) => standsFor.get(name) ?? []))];
    before = [step.name];
    standsFor.set(step.name, kept.includes(step) ? before : needs);
    if (kept.includes(step)) steps.push({ ...step, needs });
  }
  return steps;
}
