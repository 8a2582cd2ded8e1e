import { useState } from 'preact/hooks';
import { listProjectTests } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { ProjectTest } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { Await, Badge, Choice, Empty, Field, Table, Time } from '../shared/parts.tsx';
import { place, setQuery } from '../shared/router.ts';
import { attempt } from '../shared/toasts.tsx';
import { useLoad } from '../shared/use-load.ts';
import { suiteOf, TestHistory, TestStateBadge, took } from './test-history.tsx';

const PAGE = 50;
const SORTS = [['failing', 'Failing most often'], ['slowest', 'Slowest'], ['recent', 'Most recent'], ['flaky', 'Flaky only']] as const;
type Sort = (typeof SORTS)[number][0];

/** The tests that runs of a project have reported; one of them with its history where the address names it. */
export function ProjectTests({ project }: { readonly project: string }) {
  const { test } = place.value.query;
  const [sort, setSort] = useState<Sort>('failing');
  const [words, setWords] = useState('');
  const page = (before?: string, signal?: AbortSignal) => ask(listProjectTests({ signal, path: { id: project }, query: { limit: PAGE, before, q: words || undefined, ...(sort === 'flaky' ? { flaky: true } : { sort }) } }));
  const list = useLoad((signal) => page(undefined, signal), [project, sort, words]);
  return (
    <div class="stack">
      <div class="form">
        <Field label="Order"><Choice value={sort} options={SORTS} onChange={setSort} /></Field>
        <Field label="Name"><input type="search" value={words} onChange={(event) => setWords(event.currentTarget.value)} /></Field>
      </div>
      <Await of={list}>{({ data, next_cursor: next }) => (data.length === 0 ? <Empty>{sort === 'failing' && words === '' ? <>No run has sent test reports in the last time. <code>reports</code> of a step names them.</> : 'No test is like this.'}</Empty> : <Rows key={`${sort} ${words}`} first={data} next={next} more={page} />)}</Await>
      {test !== undefined && <TestHistory project={project} test={test} name={list.data?.data.find(({ id }) => id === test)?.name} onClose={() => setQuery({ test: undefined })} />}
    </div>
  );
}

interface RowsProps {
  readonly first: readonly ProjectTest[];
  readonly next: string | null;
  readonly more: (before: string) => Promise<{ readonly data: readonly ProjectTest[]; readonly next_cursor: string | null }>;
}

function Rows({ first, next, more }: RowsProps) {
  const [further, setFurther] = useState<{ readonly data: readonly ProjectTest[]; readonly next: string | null }>({ data: [], next });
  const load = (before: string): Promise<unknown> => attempt(async () => {
    const { data, next_cursor } = await more(before);
    setFurther({ data: [...further.data, ...data], next: next_cursor });
  });
  return (
    <>
      <Table label="Tests" isBrief columns={['Last', 'Test', 'Suite', 'Pipeline', 'Passed#', 'Takes#', 'When']}>
        {[...first, ...further.data].map((each) => (
          <tr key={each.id}>
            <td class="top"><TestStateBadge of={each.last_state} />{each.flaky && <> <Badge tone="warn">flaky</Badge></>}</td>
            <td class="name"><button class="link" onClick={() => setQuery({ test: each.id })}>{each.name}</button></td>
            <td>{suiteOf(each)}</td>
            <td class="wide-only">{[each.pipeline, each.step].filter((part) => part !== '').join(' › ')}</td>
            <td class="num">{each.pass_rate == null ? '–' : `${Math.round(each.pass_rate * 100)} % of ${each.results}`}</td>
            <td class="num">{took(each.mean_duration_ms)}</td>
            <td class="when"><Time at={each.last_at} /></td>
          </tr>
        ))}
      </Table>
      {further.next !== null && <button onClick={() => void load(further.next!)}>Show more</button>}
    </>
  );
}
