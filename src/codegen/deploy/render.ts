import { stringify } from 'yaml';
import { DOCS, type Monitoring, type Panel, RUNS } from './panels.ts';

/** The files of `deploy/` that are generated from the table of panels, by their paths in it. */
export function renderMonitoring(): Map<string, string> {
  return new Map([['grafana/quire-docs.json', dashboard(DOCS)], ['grafana/quire-runs.json', dashboard(RUNS)], [
    'prometheus/alerts.yaml',
    alerts([DOCS, RUNS]),
  ]]);
}

const COLUMNS = 3;
const [WIDTH, HEIGHT] = [24 / COLUMNS, 8];

/**
 * In the format that Grafana imports (schema 39, Grafana 10 and newer); the data source and the job are selected there.
 */
function dashboard({ title, job, panels }: Monitoring): string {
  const variables = [{ name: 'source', label: 'Data source', type: 'datasource', query: 'prometheus' }, {
    name: 'job',
    label: 'Job',
    type: 'textbox',
    query: job,
    current: { text: job, value: job },
  }];
  const model = {
    uid: job,
    title,
    tags: ['quire'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: variables },
    panels: panels.map(panel),
  };
  return `${JSON.stringify(model, null, 2)}\n`;
}

function panel({ title, unit, queries }: Panel, at: number): object {
  return {
    id: at + 1,
    type: 'timeseries',
    title,
    datasource: { type: 'prometheus', uid: '$source' },
    gridPos: { x: (at % COLUMNS) * WIDTH, y: Math.floor(at / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(([expr, legendFormat], i) => ({ refId: String.fromCharCode(65 + i), expr, legendFormat })),
  };
}

function alerts(services: readonly Monitoring[]): string {
  const groups = services.map(({ job, alerts: rules }) => ({
    name: job,
    rules: rules.map(({ name, expression, for: duration, severity, summary }) => ({
      alert: name,
      expr: expression,
      for: duration,
      labels: { severity },
      annotations: { summary },
    })),
  }));
  return `# Made by src/codegen/deploy; change the table there.\n${stringify({ groups }, { lineWidth: 0 })}`;
}
