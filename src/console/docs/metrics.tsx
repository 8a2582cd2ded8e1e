import { getMetrics, getSystemInfo, getVectorStats } from '../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../shared/ask.ts';
import { Bars, LineChart } from '../shared/charts.tsx';
import { ratesOf, type Reading, type Sample, sumOf, useHistory } from '../shared/exposition.ts';
import { bytes, lasted, plural } from '../shared/format.ts';
import { Await, Facts, Page } from '../shared/parts.tsx';
import { useLoad } from '../shared/use-load.ts';
import { isAdmin } from './session-life.ts';
import { readCollections } from './places.ts';

export function MetricsPage() {
  const history = useHistory(async (signal) => String(await ask(getMetrics({ signal, parseAs: 'text' }))));
  return (
    <Page title="Metrics" about={<>What this page has seen since it was opened. All of it, for Prometheus, is at <a href="/metrics">/metrics</a>.</>}>
      <div class="stack">
        <Await of={history}>{(readings) => <Charts history={readings} />}</Await>
        <div class="halves"><Requests samples={history.data?.at(-1)?.samples ?? []} /><Sizes /></div>
        {isAdmin.value && <System />}
      </div>
    </Page>
  );
}

function Charts({ history }: { readonly history: readonly Reading[] }) {
  const rate = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)}/s`;
  const searches = (samples: readonly Sample[]): number => sumOf(samples, 'svc_search_duration_seconds_count');
  return (
    <div class="cards charts">
      <LineChart title="Requests" values={ratesOf(history, (samples) => sumOf(samples, 'svc_http_requests_total'))} show={rate} />
      <LineChart title="Searches" values={ratesOf(history, searches)} show={rate} />
      <LineChart title="Processor" values={ratesOf(history, (samples) => sumOf(samples, 'process_cpu_seconds_total') * 100)} show={(value) => `${value.toFixed(0)} %`} />
      <LineChart title="Memory" values={history.map(({ samples }) => sumOf(samples, 'process_resident_memory_bytes'))} show={bytes} />
    </div>
  );
}

const PATHS_SHOWN = 8;

function Requests({ samples }: { readonly samples: readonly Sample[] }) {
  const byPath = new Map<string, number>();
  for (const { name, labels, value } of samples) if (name === 'svc_http_requests_total') byPath.set(labels['path'] ?? '', (byPath.get(labels['path'] ?? '') ?? 0) + value);
  const most = [...byPath].sort((a, b) => b[1] - a[1]).slice(0, PATHS_SHOWN);
  return <section class="card"><h2>Requests by path</h2><Bars of={most} /></section>;
}

function Sizes() {
  const list = useLoad(readCollections, []);
  return (
    <section class="card">
      <h2>Documents by collection</h2>
      <Await of={list}>{(collections) => <Bars of={collections.map(({ name, documentCount }) => [name, documentCount])} />}</Await>
    </section>
  );
}

function System() {
  const info = useLoad(async (signal) => Promise.all([ask(getSystemInfo({ signal })), ask(getVectorStats({ signal }))]), []);
  return (
    <section class="card">
      <h2>Server</h2>
      <Await of={info}>{([{ buildVersion, runtimeVersion, os, arch, numCPU, uptimeSeconds, memoryTotal }, { enabled, provider, model, queue }]) => (
        <Facts of={[
          ['Version', buildVersion], ['Runtime', `Node ${runtimeVersion.replace(/^v/, '')} on ${os} ${arch}`], ['Up for', lasted(uptimeSeconds)],
          ['Machine', `${plural(numCPU, 'core')}, ${bytes(memoryTotal)}`],
          ['Meaning', enabled ? `${provider} (${model}), ${plural(queue.depth, 'text')} waiting` : 'off'],
        ]} />
      )}</Await>
    </section>
  );
}
