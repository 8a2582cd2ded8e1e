import { useState } from 'preact/hooks';
import { listRunTests } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { SlowTest, TestResult, TestState, TestTotals } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { count } from '../shared/format.ts';
import { Await, Badge, Choice, Empty, Field, Table, type Tone } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad } from '../shared/use-load.ts';
import { suiteOf, TestHistory, TestStateBadge, took } from './test-history.tsx';

const STATES = ['failed', 'error', 'warning', 'passed', 'skipped'] as const;
const TONES: Readonly<Record<TestState, Tone>> = { failed: 'bad', error: 'bad', warning: 'warn', passed: 'good', skipped: '' };

const PAGE = 50;

type AskedTest = Pick<TestResult, 'id' | 'name'>;

/** The results of the test reports of a run, failures first, with the history of each test. */
export function Tests({ run: id, project }: { readonly run: string; readonly project: string }) {
  const [asked, setAsked] = useState<AskedTest>();
  const [state, setState] = useState<TestState | ''>('');
  const [words, setWords] = useState('');
  const page = (before?: string, signal?: AbortSignal) => ask(listRunTests({ signal, path: { id }, query: { limit: PAGE, before, q: words, ...(state !== '' && { state }) } }));
  const list = useLoad((signal) => page(undefined, signal), [id, state, words]);
  return (
    <Await of={list}>{(first) => (first.reports.length === 0 ? <Empty>This run has sent no test reports. Name them by <code>reports</code> of a step.</Empty> : (
      <div class="stack">
        {first.totals != null && <Totals totals={first.totals} />}
        <div class="form">
          <Field label="State"><Choice value={state} options={[['', 'All'], ...STATES]} onChange={setState} /></Field>
          <Field label="Name"><input type="search" value={words} onChange={(event) => setWords(event.currentTarget.value)} /></Field>
        </div>
        <Results key={`${state} ${words}`} first={first.data} next={first.next_cursor} more={page} onHistory={setAsked} />
        {first.slowest.length > 0 && <Slowest tests={first.slowest} onHistory={setAsked} />}
        {asked !== undefined && <TestHistory project={project} test={asked.id} name={asked.name} onClose={() => setAsked(undefined)} />}
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
  readonly onHistory: (test: AskedTest) => void;
}

function Results({ first, next, more, onHistory }: ResultsProps) {
  const [further, setFurther] = useState<{ readonly data: readonly TestResult[]; readonly next: string | null }>({ data: [], next });
  const load = (before: string): Promise<unknown> => attempt(async () => {
    const { data, next_cursor } = await more(before);
    setFurther({ data: [...further.data, ...data], next: next_cursor });
  });
  const results = [...first, ...further.data];
  if (results.length === 0) return <Empty>No test is like this.</Empty>;
  return (
    <>
      <Table label="Tests" isBrief columns={['State', 'Test', 'Suite', 'Place', 'Took#', '']}>
        {results.map((test, at) => (
          <tr key={`${test.id} ${at}`}>
            <td class="top"><TestStateBadge of={test.state} />{test.flaky && <> <Badge tone="warn">flaky</Badge></>}</td>
            <td class="name"><Name test={test} /></td>
            <td>{suiteOf(test)}</td>
            <td>{test.file != null && <code>{test.file}{test.line == null ? '' : `:${test.line}`}</code>}</td>
            <td class="num">{took(test.duration_ms)}</td>
            <td class="actions">{test.kind === 'test' && <button aria-label={`History of ${test.name}`} onClick={() => onHistory(test)}>History</button>}</td>
          </tr>
        ))}
      </Table>
      {further.next !== null && <button onClick={() => void load(further.next!)}>Show more</button>}
    </>
  );
}

/** The name of a test, and what its report says of a failure. */
function Name({ test: { name, state, message, detail } }: { readonly test: TestResult }) {
  if (state === 'passed' || (message == null && detail == null)) return <>{name}</>;
  return <details><summary>{name}</summary>{message != null && <p>{message}</p>}{detail != null && <pre class="code" tabIndex={0}>{detail}</pre>}</details>;
}

function Slowest({ tests, onHistory }: { readonly tests: readonly SlowTest[]; readonly onHistory: (test: AskedTest) => void }) {
  return (
    <section>
      <h2>Slowest tests</h2>
      <Table label="Slowest tests" isBrief columns={['Test', 'Suite', 'Took#']}>
        {tests.map((test) => <tr key={test.id}><td class="name"><button class="link" onClick={() => onHistory(test)}>{test.name}</button></td><td>{suiteOf(test)}</td><td class="num top">{took(test.duration_ms)}</td></tr>)}
      </Table>
    </section>
  );
}
