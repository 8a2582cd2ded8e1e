import { listTestHistory } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { TestHistoryEntry, TestState } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { Await, Badge, Dialog, Empty, Time, type Tone } from '../shared/parts.tsx';
import { useLoad } from '../shared/use-load.ts';
import { runAt } from './places.ts';

const TONES: Readonly<Record<TestState, Tone>> = { failed: 'bad', error: 'bad', warning: 'warn', passed: 'good', skipped: '' };

export const TestStateBadge = ({ of }: { readonly of: TestState }) => <Badge tone={TONES[of]}>{of}</Badge>;

/** Suite and class of a test; a class that repeats its suite is left out. */
export const suiteOf = ({ suite, class: className }: { readonly suite: string; readonly class: string }): string =>
  [suite, className === suite ? '' : className].filter((part) => part !== '').join(' › ');

/** A duration in milliseconds; empty where a report has none. */
export const took = (ms: number | null): string => (ms === null ? '' : ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

const SHOWN = 50;

interface HistoryProps {
  readonly project: string;
  /** Id of the test. */
  readonly test: string;
  /** Its name, where it is known. */
  readonly name?: string | undefined;
  readonly onClose: () => void;
}

/** The latest results of a test over the runs of its project, newest first. */
export function TestHistory({ project, test, name = 'History of a test', onClose }: HistoryProps) {
  const list = useLoad(async (signal) => (await ask(listTestHistory({ signal, path: { id: project }, query: { test, limit: SHOWN } }))).data, [project, test]);
  return (
    <Dialog title={name} onClose={onClose}>
      <Await of={list}>{(entries) => (entries.length === 0 ? <Empty>There are no results of this test.</Empty> : (
        <div class="stack">
          <div class="strip" role="img" aria-label={`${entries.filter(({ state }) => state === 'passed').length} of the last ${entries.length} results passed`}>{entries.toReversed().map((entry, at) => <span key={at} class={TONES[entry.state]} title={entry.state} />)}</div>
          <ul class="plain-list history">{entries.map((entry, at) => <Entry key={at} of={entry} />)}</ul>
        </div>
      ))}</Await>
    </Dialog>
  );
}

function Entry({ of: { state, flaky, run_id: run, commit, ref, duration_ms: ms, message, created_at: at } }: { readonly of: TestHistoryEntry }) {
  return (
    <li>
      <TestStateBadge of={state} />{flaky && <> <Badge tone="warn">flaky</Badge></>} <a href={runAt(run)}><Time at={at} /></a> <span class="muted small">{[ref ?? '', commit?.slice(0, 8) ?? '', took(ms)].filter((part) => part !== '').join(' · ')}</span>
      {message != null && state !== 'passed' && <div class="small muted">{message}</div>}
    </li>
  );
}
