import { lasted } from '../shared/format.ts';
import { Badge, type Tone } from '../shared/parts.tsx';
import type { ShownState, ShownStep } from './steps.ts';

const SAYS: Readonly<Record<ShownState, readonly [text: string, tone: Tone]>> = {
  running: ['running', 'busy'],
  succeeded: ['succeeded', 'good'],
  failed: ['failed', 'bad'],
  timed_out: ['timed out', 'bad'],
  stopped: ['stopped', 'warn'],
  begun: ['begun', ''],
  skipped: ['skipped', ''],
};

interface StepListProps {
  readonly steps: readonly ShownStep[];
  /** Name of the step whose lines are shown; empty for all. */
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

/** The steps of an attempt with state and duration; each filters the log. */
export function StepList({ steps, chosen, onChoose }: StepListProps) {
  return (
    <nav class="steps" aria-label="Steps">
      <button aria-pressed={chosen === ''} onClick={() => onChoose('')}><span>All steps</span></button>
      {steps.map((step) => {
        const [text, tone] = SAYS[step.state];
        return (
          <button key={step.name} aria-pressed={step.name === chosen} onClick={() => onChoose(step.name)}>
            <span>{step.name}</span>
            <span class="row"><Badge tone={tone}>{text}</Badge><span class="small muted">{durationOf(step)}</span></span>
          </button>
        );
      })}
    </nav>
  );
}

/** Short steps are shown to a tenth of a second. */
function durationOf({ state, startedMs, endedMs }: ShownStep): string {
  if (endedMs === undefined && state !== 'running') return '';
  const seconds = Math.max(0, (endedMs ?? Date.now()) - startedMs) / 1000;
  return seconds < 10 && endedMs !== undefined ? `${seconds.toFixed(1)}s` : lasted(seconds);
}
