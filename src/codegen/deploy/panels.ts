/** The content of a panel: PromQL expressions with the text of their legends. */
export interface Panel {
  readonly title: string;
  /** A unit of Grafana. */
  readonly unit: 'short' | 's' | 'bytes' | 'reqps' | 'ops';
  readonly queries: readonly (readonly [expression: string, legend: string])[];
}

interface Alert {
  readonly name: string;
  readonly expression: string;
  /** How long the condition must hold. */
  readonly for: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
}

export interface Monitoring {
  readonly title: string;
  /** Name of the job in the Prometheus configuration. */
  readonly job: string;
  readonly panels: readonly Panel[];
  readonly alerts: readonly Alert[];
}

const rate = (counter: string, by: string): string => `sum by (${by}) (rate(${counter}{job="$job"}[$__rate_interval]))`;
const quantile = (q: number, histogram: string, by = 'le'): string =>
  `histogram_quantile(${q}, sum by (${by}) (rate(${histogram}_bucket{job="$job"}[$__rate_interval])))`;

const PROCESS: readonly Panel[] = [{
  title: 'Memory',
  unit: 'bytes',
  queries: [['process_resident_memory_bytes{job="$job"}', 'resident']],
}, { title: 'Event loop delay', unit: 's', queries: [['nodejs_eventloop_lag_p99_seconds{job="$job"}', 'p99']] }, {
  title: 'Processor',
  unit: 'short',
  queries: [['rate(process_cpu_seconds_total{job="$job"}[$__rate_interval])', 'cores']],
}];

export const DOCS: Monitoring = {
  title: 'Quire documents',
  job: 'quire-docs',
  panels: [{
    title: 'Requests by status',
    unit: 'reqps',
    queries: [[rate('svc_http_requests_total', 'status'), '{{status}}']],
  }, {
    title: 'Time of requests',
    unit: 's',
    queries: [[quantile(0.5, 'svc_http_request_duration_seconds'), 'median'], [
      quantile(0.99, 'svc_http_request_duration_seconds'),
      'p99',
    ]],
  }, {
    title: 'Slowest paths, p99',
    unit: 's',
    queries: [[`topk(5, ${quantile(0.99, 'svc_http_request_duration_seconds', 'le, path')})`, '{{path}}']],
  }, {
    title: 'Searches, p99',
    unit: 's',
    queries: [[quantile(0.99, 'svc_search_duration_seconds', 'le, type'), '{{type}}']],
  }, { title: 'gRPC calls by code', unit: 'reqps', queries: [[rate('svc_grpc_requests_total', 'code'), '{{code}}']] }, {
    title: 'MCP tools',
    unit: 'ops',
    queries: [[rate('svc_mcp_tool_calls_total', 'tool, outcome'), '{{tool}} {{outcome}}']],
  }, { title: 'Documents', unit: 'short', queries: [['svc_documents_total{job="$job"}', '{{collection}}']] }, {
    title: 'Size of the database',
    unit: 'bytes',
    queries: [['svc_database_size_bytes{job="$job"}', 'database'], ['svc_binlog_size_bytes{job="$job"}',
      'change feed']],
  }, {
    title: 'Memory of indexes',
    unit: 'bytes',
    queries: [['sum by (view) (svc_index_bytes{job="$job"})', '{{view}}']],
  }, {
    title: 'Queue of embeddings',
    unit: 'short',
    queries: [['svc_embedding_queue_size{job="$job"}', 'waiting'], [rate('svc_embedding_queue_dropped_total', 'job'),
      'dropped a second']],
  }, { title: 'Webhooks', unit: 'ops', queries: [[rate('svc_webhook_deliveries_total', 'outcome'), '{{outcome}}']] }, {
    title: 'Refused by the rate limit',
    unit: 'reqps',
    queries: [[rate('svc_ratelimit_rejected_total', 'transport'), '{{transport}}']],
  }, { title: 'Age of the last backup', unit: 's', queries: [['svc_backup_age_seconds{job="$job"}', 'age']] }, {
    title: 'Size and time of backups',
    unit: 'short',
    queries: [['svc_backup_size_bytes{job="$job"}', 'bytes'], ['svc_backup_duration_seconds{job="$job"}', 'seconds']],
  }, ...PROCESS],
  alerts: [{
    name: 'QuireDocsDown',
    expression: 'up{job="quire-docs"} == 0',
    for: '2m',
    severity: 'critical',
    summary: 'The document service is not scraped.',
  }, {
    name: 'QuireDocsErrors',
    expression: 'sum(rate(svc_http_requests_total{job="quire-docs",status=~"5.."}[5m])) / ' +
      'sum(rate(svc_http_requests_total{job="quire-docs"}[5m])) > 0.02',
    for: '10m',
    severity: 'critical',
    summary: 'More than 2 % of requests end with a 5xx status.',
  }, {
    name: 'QuireDocsSlow',
    expression: 'histogram_quantile(0.99, sum by (le) ' +
      '(rate(svc_http_request_duration_seconds_bucket{job="quire-docs"}[5m]))) > 1',
    for: '15m',
    severity: 'warning',
    summary: 'One request of a hundred takes more than a second.',
  }, {
    name: 'QuireEmbeddingsDropped',
    expression: 'increase(svc_embedding_queue_dropped_total{job="quire-docs"}[15m]) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'Documents were left without a vector; POST /v1/vector-reindex embeds them.',
  }, {
    name: 'QuireAuditLoss',
    expression: 'increase(svc_audit_dropped_total{job="quire-docs"}[15m]) > 0',
    for: '0m',
    severity: 'critical',
    summary: 'Audit events were lost.',
  }, {
    name: 'QuireBackupOld',
    expression: 'svc_backup_age_seconds{job="quire-docs"} > 2 * 86400',
    for: '10m',
    severity: 'critical',
    summary: 'The last good backup of the documents is older than two days.',
  }, {
    name: 'QuireBackupFails',
    expression: 'increase(svc_backups_total{job="quire-docs",outcome="failed"}[6h]) > 2',
    for: '0m',
    severity: 'warning',
    summary: 'Scheduled backups of the documents fail; the log and /v1/stats say why.',
  }, {
    name: 'QuireWebhooksPaused',
    expression: 'sum(svc_webhooks{job="quire-docs",state="paused"}) > 0',
    for: '1h',
    severity: 'warning',
    summary: 'A webhook is paused: its endpoint refuses or does not answer.',
  }],
};

export const RUNS: Monitoring = {
  title: 'Quire runs',
  job: 'quire-runs',
  panels: [{
    title: 'Runs by state',
    unit: 'short',
    queries: [['sum by (state) (quire_runs{job="$job"})', '{{state}}']],
  }, { title: 'Longest wait', unit: 's', queries: [['quire_oldest_queued_seconds{job="$job"}', '{{reason}}']] }, {
    title: 'Runs that ended',
    unit: 'ops',
    queries: [[rate('quire_runs_finished_total', 'outcome, code'), '{{outcome}} {{code}}']],
  }, {
    title: 'Runs that were queued',
    unit: 'ops',
    queries: [[rate('quire_runs_enqueued_total', 'source'), '{{source}}']],
  }, { title: 'Time in the queue, p95', unit: 's', queries: [[quantile(0.95, 'quire_run_queue_seconds'), 'p95']] }, {
    title: 'Time of runs, p95',
    unit: 's',
    queries: [[quantile(0.95, 'quire_run_duration_seconds', 'le, kind'), '{{kind}}']],
  }, { title: 'Ships', unit: 'short', queries: [['quire_ships{job="$job"}', '{{status}}']] }, {
    title: 'Places for runs',
    unit: 'short',
    queries: [['quire_ship_slots{job="$job"}', '{{status}}']],
  }, {
    title: 'Leases lost, writes fenced',
    unit: 'ops',
    queries: [[rate('quire_leases_lost_total', 'job'), 'lost'], [rate('quire_fenced_writes_total', 'rpc'), '{{rpc}}']],
  }, {
    title: 'Logs and artefacts',
    unit: 'bytes',
    queries: [['quire_log_bytes{job="$job"}', 'logs'], ['quire_artifact_bytes{job="$job"}', 'artefacts']],
  }, { title: 'Shared caches', unit: 'bytes', queries: [['quire_cache_bytes{job="$job"}', 'caches']] }, {
    title: 'Caches that ships ask for',
    unit: 'ops',
    queries: [[rate('quire_cache_requests_total', 'result'), '{{result}}'], [
      rate('quire_caches_evicted_total', 'reason'),
      'removed: {{reason}}',
    ]],
  }, { title: 'Notifications', unit: 'short', queries: [['quire_notifications_waiting{job="$job"}', 'waiting']] }, {
    title: 'Age of the last backup',
    unit: 's',
    queries: [['quire_backup_age_seconds{job="$job"}', 'age']],
  }, ...PROCESS],
  alerts: [{
    name: 'QuireRunsDown',
    expression: 'up{job="quire-runs"} == 0',
    for: '2m',
    severity: 'critical',
    summary: 'The run queue is not scraped.',
  }, {
    name: 'QuireRunsWait',
    expression: 'max(quire_oldest_queued_seconds{job="quire-runs"}) > 3600',
    for: '5m',
    severity: 'warning',
    summary: 'A run has waited for an hour; its waiting_reason says why.',
  }, {
    name: 'QuireLeasesLost',
    expression: 'increase(quire_leases_lost_total{job="quire-runs"}[15m]) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'A ship gave no sign of life, and its run was taken from it.',
  }, {
    name: 'QuireStoreFails',
    expression: 'increase(quire_storage_errors_total{job="quire-runs"}[5m]) > 0',
    for: '0m',
    severity: 'critical',
    summary: 'The store of the run queue fails.',
  }, {
    name: 'QuireCertificateEnds',
    expression: 'quire_cert_expiry_seconds{job="quire-runs"} < 7 * 86400',
    for: '1h',
    severity: 'critical',
    summary: 'A certificate of the fleet ends within a week and was not renewed.',
  }, {
    name: 'QuireConfigurationRefused',
    expression: 'quire_config_reload_success{job="quire-runs"} == 0',
    for: '5m',
    severity: 'warning',
    summary: 'The configuration has an error, and the former one is in use.',
  }, {
    name: 'QuireRunsBackupOld',
    expression: 'quire_backup_age_seconds{job="quire-runs"} > 2 * 86400',
    for: '10m',
    severity: 'critical',
    summary: 'The last good backup of the run queue is older than two days.',
  }],
};

/** Names of the metrics in an expression; names of histograms without their suffixes. */
export function metricsIn(expression: string): string[] {
  const names = expression.match(/\b(?:svc|quire|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return names.map((name) => name.replace(/_bucket$/, ''));
}
