import { useState } from 'preact/hooks';
import { getRun, getRunResult } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Run, RunResult } from '../../../generated/runs/sdk/types.gen.ts';
import { ask, RequestError } from '../shared/ask.ts';
import { bytes } from '../shared/format.ts';
import { Markdown } from '../shared/markdown.tsx';
import { Await, Empty, Facts, Page, Tabs, Time } from '../shared/parts.tsx';
import { place } from '../shared/router.ts';
import { useLoad, useRefresh } from '../shared/use-load.ts';
import { Artifacts } from './artifacts.tsx';
import { AttemptsCompared } from './attempts-compared.tsx';
import { ForgeEvent } from './forge-event.tsx';
import { Cells } from './jobs.tsx';
import { Commit, durationOf, hasEnded, State, taskOf, waitingOf } from './list.tsx';
import { LogView } from './log-view.tsx';
import type { PageOf } from './pages.tsx';
import { projectAt, runAt, runsOf, shortId } from './places.ts';
import { RunActions } from './run-actions.tsx';
import { useShipNames } from './ship-names.ts';
import { ShownAtForge } from './shown-at-forge.tsx';
import { RunSummaryText } from './summary.tsx';
import { Tests } from './tests.tsx';

const REFRESH_MS = 2000;

export function RunPage({ path: [id = ''] }: PageOf) {
  const run = useLoad(async (signal) => (await ask(getRun({ signal, path: { id } }))).data, [id]);
  useRefresh(run, REFRESH_MS, run.data !== undefined && !hasEnded(run.data.state));
  const task = run.data === undefined ? 'Run' : taskOf(run.data);
  return (
    <Page title={task} crumbs={[['Runs', '#/']]} about={<code>{id}</code>} actions={run.data && <RunActions run={run.data} onChange={run.reload} />}>
      <Await of={run}>{(data) => <div class="stack"><Overview run={data} />{data.cells > 0 && <Cells run={data} />}{hasEnded(data.state) && <RunSummaryText id={id} state={data.state} />}<Output run={data} onState={run.reload} />{data.parent_id == null && <ShownAtForge run={data} />}</div>}</Await>
    </Page>
  );
}

const SOURCES: Readonly<Record<Exclude<Run['source']['type'], 'schedule'>, string>> = { api: 'requested', retry: 'retried', rerun: 'repeated', alert: 'alert', forge: 'by an event of its repository' };

/** How the run came into being; schedule and caller are links to the list of their runs. */
function Source({ of: { project_id: project, source: { type, by, schedule, alert_labels: labels } } }: { readonly of: Run }) {
  const alert = labels == null ? '' : Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(' ');
  return (
    <>
      {type === 'schedule' ? <>schedule <a href={runsOf({ schedule: schedule ?? '', project })}>{schedule}</a>{by != null && ', at once'}</> : SOURCES[type] ?? type}{alert !== '' && ` ${alert}`}
      {by != null && <> by <a href={runsOf({ by })}>{by}</a></>}
    </>
  );
}

function Overview({ run }: { readonly run: Run }) {
  const waiting = waitingOf(run);
  const ship = useShipNames()(run.ship_id);
  return (
    <>
      {run.error && <div class="notice bad"><strong>{run.error.code.replaceAll('_', ' ')}</strong>{run.error.step != null && ` in ${run.error.step}`}: {run.error.message}</div>}
      {run.state === 'queued' && run.approval?.state === 'waiting' && run.approval.step != null && <div class="notice"><strong>{run.approval.step}</strong> waits for an approval until <Time at={run.approval.expires_at} />{run.approval.message != null && `: ${run.approval.message}`}</div>}
      <div class="card halves">
        <Facts of={[
          ['State', <><State of={run.state} /> {waiting !== undefined && <span class="muted">{waiting}</span>}</>],
          ['Project', <a href={projectAt(run.project_id)}>{run.project_id}</a>], ['Kind', run.kind], ['Attempt', `${run.attempt} of ${run.max_attempts}`],
          ...(run.ref == null && run.commit == null ? [] : [['Commit', <Commit of={run} />] as const]), ...(ship === '' ? [] : [['Ship', ship] as const]),
          ...(run.approval?.by == null ? [] : [['Approval', `${run.approval.step ?? ''} ${run.approval.state} by ${run.approval.by}`] as const]),
          ['Source', <Source of={run} />],
          ...(run.source.forge == null ? [] : [['Event', <ForgeEvent of={run.source.forge} />] as const]),
          ...(run.parent_id == null ? [] : [['Cell of', <a href={runAt(run.parent_id)}>{shortId(run.parent_id)}</a>] as const]),
          ...(run.retry_of == null ? [] : [[run.source.type === 'rerun' ? 'Repeats' : 'Retry of', <a href={runAt(run.retry_of)}>{shortId(run.retry_of)}</a>] as const]),
        ]} />
        <Facts of={[
          ['Queued', <Time at={run.created_at} />], ['Started', <Time at={run.started_at} />], ['Ended', <Time at={run.finished_at} />], ['Took', durationOf(run)],
          ['Log', `${bytes(run.logs_bytes)}${run.log_truncated ? ', parts of it left out' : ''}${run.logs_expired ? ', expired' : ''}`],
        ]} />
      </div>
    </>
  );
}

/** The log of each attempt, a comparison of two attempts, the artifacts, and the output of a language model. */
function Output({ run, onState }: { readonly run: Run; readonly onState: () => void }) {
  const { line } = place.value.query;
  const [tab, setTab] = useState(tabOfLine(line, run.attempt));
  const earlier = Array.from({ length: run.attempt - 1 }, (_, index) => [`${index + 1}`, `Attempt ${index + 1}`] as const);
  const tabs = [['log', earlier.length === 0 ? 'Log' : `Attempt ${run.attempt}`], ...earlier.toReversed(), ...(earlier.length > 0 ? [['compare', 'Compare'] as const] : []), ...(run.kind === 'pipeline' && hasEnded(run.state) ? [['tests', 'Tests'] as const, ['files', 'Files'] as const] : []), ...((run.kind === 'ai_text' && run.state === 'succeeded') || (run.kind === 'pipeline' && run.cells === 0 && hasEnded(run.state)) ? [['result', 'Result'] as const] : [])] as const;
  return (
    <section>
      {tabs.length > 1 && <Tabs label="Output" value={tab} options={tabs} onChange={setTab} />}
      {tab === 'result' ? <Result id={run.id} /> : tab === 'tests' ? <Tests run={run.id} project={run.project_id} /> : tab === 'files' ? <Artifacts run={run.id} /> : tab === 'compare' ? <AttemptsCompared run={run} /> : <LogView key={tab} run={run} attempt={tab === 'log' ? undefined : Number(tab)} onState={onState} />}
    </section>
  );
}

/** An address that names a line opens the log of its attempt. */
function tabOfLine(line: string | undefined, current: number): string {
  const attempt = Number(line?.split('-')[0]);
  return attempt >= 1 && attempt < current ? String(attempt) : 'log';
}

function Result({ id }: { readonly id: string }) {
  const result = useLoad(async (signal) => {
    const { data } = await ask(getRunResult({ signal, path: { id } })).catch((error: unknown) => {
      if (error instanceof RequestError && error.code === 'not_found') return { data: null };
      throw error;
    });
    return data;
  }, [id]);
  return <Await of={result}>{(found) => (found === null ? <Empty>This run has left no result.</Empty> : <Content of={found} />)}</Await>;
}

function Content({ of: { content, value, model } }: { readonly of: RunResult }) {
  return <div class="card">{model == null ? <pre>{value == null ? content : JSON.stringify(value, null, 2)}</pre> : <Markdown text={content} />}</div>;
}
