import { getMetrics } from '../../../generated/runs/sdk/sdk.gen.ts';
import { ask } from '../shared/ask.ts';
import { Bars, LineChart } from '../shared/charts.tsx';
import { type Reading, type Sample, sumOf, useHistory } from '../shared/exposition.ts';
import { bytes, count, lasted } from '../shared/format.ts';
import { Await, Page } from '../shared/parts.tsx';

export function MetricsPage() {
  const history = useHistory(async (signal) => String(await ask(getMetrics({ signal, parseAs: 'text' }))));
  return (
    <Page title="Metrics" about={<>What this page has seen since it was opened. All of it, for Prometheus, is at <a href="/metrics">/metrics</a>.</>}>
      <Await of={history}>{(readings) => <div class="stack"><Charts history={readings} /><States samples={readings.at(-1)?.samples ?? []} /></div>}</Await>
    </Page>
  );
}

function Charts({ history }: { readonly history: readonly Reading[] }) {
  const runs = (state: string) => history.map(({ samples }) => sumOf(samples.filter(({ labels }) => labels['state'] === state), 'quire_runs'));
  const values = (name: string) => history.map(({ samples }) => sumOf(samples, name));
  return (
    <div class="cards charts">
      <LineChart title="Running" values={runs('running')} show={count} />
      <LineChart title="Queued" values={runs('queued')} show={count} />
      <LineChart title="Longest wait" values={values('quire_oldest_queued_seconds')} show={lasted} />
      <LineChart title="Logs" values={values('quire_log_bytes')} show={bytes} />
    </div>
  );
}

function States({ samples }: { readonly samples: readonly Sample[] }) {
  const ended = samples.filter(({ name }) => name === 'quire_runs_finished_total');
  const byOutcome = Map.groupBy(ended, ({ labels }) => labels['outcome'] ?? '');
  return (
    <section class="card">
      <h2>Ended runs</h2>
      {byOutcome.size === 0 ? <p class="muted">No run has ended since the service started.</p> : <Bars of={[...byOutcome].map(([outcome, each]) => [outcome, each.reduce((sum, { value }) => sum + value, 0)])} />}
    </section>
  );
}
