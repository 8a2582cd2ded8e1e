import { useState } from 'preact/hooks';
import { listRunTests } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { TestResult, TestState, TestTotals } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { count } from '../shared/format.ts';
import { Await, Badge, Choice, Empty, Field, Table, type Tone } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad } from '../shared/use-load.ts';

const STATES = ['failed', 'error', 'warning', 'passed', 'skipped'] as const;
const TONES: Readonly<Record<TestState, Tone>> = { failed: 'bad', error: 'bad', warning: 'warn', passed: 'good', skipped: '' };

const PAGE = 50;

/** The results of the test reports of a run, failures first. */
export function Tests({ run: id }: { readonly run: string }) {
  const [state, setState] = useState<TestState | ''>('');
  const [words, setWords] = useState('');
  const page = (before?: string, signal?: AbortSignal) => ask(listRunTests({ signal, path: { id }, query: { limit: PAGE, before, q: words, ...(state !== '' && { state }) } }));
  const list = useLoad((signal) => page(undefined, signal), [id, state, words]);
  return (
    <Await of={list}>{(first) => (first.reports.length === 0 ? <Empty>This run has sent no test reports. Name them by <code>reports</code> of a step.</Empty> : (
      <div class="stack">
        {first.totals != null && <Totals totals={first.totals} />}
        <div class="fields">
          <Field label="State"><Choice value={state} options={[['', 'All'], ...STATES]} onChange={setState} /></Field>
          <Field label="Name"><input type="search" value={words} onChange={(event) => setWords(event.currentTarget.value)} /></Field>
        </div>
        <Results key={`${state} ${words}`} first={first.data} next={first.next_cursor} more={page} />
      </div>
    ))}</Await>
  );
}

function Totals({ totals }: { readonly totals: TestTotals }) {
  return (
    <p>
      {count(totals.total)} {totals.total === 1 ? 'result' : 'results'}:{' '}
      {STATES.filter((state) => totals[state] > 0).map((state) => <><Badge tone={TONES[state]}>{count(totals[state])} {state}</Badge>{' '}</>)}
      {totals.flaky > 0 && <Badge tone="warn">{count(totals.flaky)} flaky</Badge>}
    </p>
  );
}

interface ResultsProps {
  readonly first: readonly TestResult[];
  readonly next: string | null;
  readonly more: (before: string) => Promise<{ readonly data: readonly TestResult[]; readonly next_cursor: string | null }>;
}

function Results({ first, next, more }: ResultsProps) {
  const [further, setFurther] = useState<{ readonly data: readonly TestResult[]; readonly next: string | null }>({ data: [], next });
  const load = (before: string): Promise<unknown> => attempt(async () => {
    const { data, next_cursor } = await more(before);
    setFurther({ data: [...further.data, ...data], next: next_cursor });
  });
  const results = [...first, ...further.data];
  if (results.length === 0) return <Empty>No test is like this.</Empty>;
  return (
    <>
      <Table label="Tests" columns={['State', 'Test', 'Place', 'Took#']}>
        {results.map((test, at) => (
          <tr key={`${test.id} ${at}`}>
            <td><Badge tone={TONES[test.state]}>{test.state}</Badge>{test.flaky && <> <Badge tone="warn">flaky</Badge></>}</td>
            <td><Name test={test} /></td>
            <td>{test.file != null && <code>{test.file}{test.line == null ? '' : `:${test.line}`}</code>}</td>
            <td class="num">{took(test.duration_ms)}</td>
          </tr>
        ))}
      </Table>
      {further.next !== null && <button onClick={() => void load(further.next!)}>Show more</button>}
    </>
  );
}

/** The name of a test, and what its report says of a failure. */
function Name({ test: { suite, class: className, name, state, message, detail } }: { readonly test: TestResult }) {
  const shown = [suite, className === suite ? '' : className, name].filter((part) => part !== '').join(' › ');
  if (state === 'passed' || (message == null && detail == null)) return <>{shown}</>;
  return <details><summary>{shown}</summary>{message != null && <p>{message}</p>}{detail != null && <pre>{detail}</pre>}</details>;
}

const took = (ms: number | null): string => (ms === null ? '' : ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
