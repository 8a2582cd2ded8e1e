import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunsApi, TOKEN } from '../../testkit/runs-api.ts';

let api: RunsApi;
beforeEach(async () => {
  api = await RunsApi.start({
    fleet: () => ({
      ships: [{ status: 'online', count: 3 }, { status: 'revoked', count: 1 }],
      slots: [{ status: 'busy', count: 2 }, { status: 'free', count: 6 }],
      certificates: [{ subject: 'server', expiresMs: api.clock.ms + 90_000 }],
    }),
  });
});
afterEach(() => api.stop());

const scrape = () => api.client.send('GET', '/metrics', { headers: { Authorization: `Bearer ${TOKEN}` } });
/** The samples of our own metrics that are not zero. */
const samples = async (name: string) => {
  const lines = (await scrape()).text.split('\n').filter((line) =>
    line.startsWith(name) && !line.includes('_bucket') && !line.endsWith(' 0')
  );
  return lines.map((line) => line.slice(name.length));
};

const NAMES = ['runs', 'runs_enqueued_total', 'runs_finished_total', 'run_queue_seconds', 'run_duration_seconds',
  'run_attempts_total', 'leases_lost_total', 'fenced_writes_total', 'oldest_queued_seconds', 'ships', 'ship_slots',
  'log_bytes', 'log_dropped_events_total', 'claim_seconds', 'storage_errors_total', 'cert_expiry_seconds',
  'config_reload_success', 'alerts_received_total', 'schedule_slots_total', 'notifications_total',
  'notifications_waiting', 'artifact_bytes', 'artifacts_received_total', 'caches', 'cache_bytes',
  'caches_received_total', 'cache_requests_total', 'caches_evicted_total', 'loop_rounds_total'];

describe('the metrics', () => {
  it('are all those of the decisions, in the text format of Prometheus', async () => {
    const { status, headers, text } = await scrape();
    expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('text/plain; version=0.0.4')]);
    const ours = [...text.matchAll(/^# TYPE quire_(\w+) /gm)].map(([, name]) => name);
    expect(ours.sort()).toEqual([...NAMES].sort());
  });

  it('follow a run from the queue to its end', async () => {
    await api.queued('the-first-key');
    expect(await samples('quire_runs{')).toEqual(['state="queued",kind="diagnostic"} 1']);
    api.clock.ms += 1500;
    const work = api.work({
      outcome: 'failed',
      started: true,
      error: { code: 'diagnostic_failed', message: 'x', step: null, exitCode: null, signal: null },
    });
    await work;
    expect(await samples('quire_runs_enqueued_total{')).toEqual(['kind="diagnostic",source="api"} 1']);
    expect(await samples('quire_runs_finished_total{')).toEqual([
      'kind="diagnostic",outcome="failed",code="diagnostic_failed"} 1',
    ]);
    expect(await samples('quire_run_queue_seconds_')).toEqual(['sum 1.5', 'count 1']);
    expect(await samples('quire_run_duration_seconds_count')).toEqual(['{kind="diagnostic"} 1']);
    expect(await samples('quire_run_attempts_total')).toEqual(['{reason="first"} 1']);
  });

  it('count attempts by what led to them, and lost leases', async () => {
    await api.queued('the-first-key');
    await api.work({
      outcome: 'ship_error',
      started: true,
      error: { code: 'ship_error', message: 'x', step: null, exitCode: null, signal: null },
    });
    expect(await samples('quire_run_attempts_total')).toEqual(['{reason="first"} 1', '{reason="ship_error"} 1']);
    api.recorder.runChanged({
      run: (await api.queue.list({}, undefined, 1))[0]!,
      from: 'running',
      formerShipId: null,
      reason: 'lease_lost',
    });
    expect(await samples('quire_leases_lost_total')).toEqual([' 1']);
  });

  it('report the fleet, its certificates, logs, claims, and the configuration', async () => {
    const { recorder } = api;
    recorder.fencedWrite('AppendLogs');
    recorder.claimed(0.004);
    recorder.logEventsDropped(7);
    recorder.configReloaded(false);
    expect(await samples('quire_ships')).toEqual(['{status="online"} 3', '{status="revoked"} 1']);
    expect(await samples('quire_ship_slots')).toEqual(['{status="busy"} 2', '{status="free"} 6']);
    expect(await samples('quire_cert_expiry_seconds')).toEqual(['{subject="server"} 90']);
    expect(await samples('quire_log_bytes')).toEqual([' 42']);
    expect(await samples('quire_log_dropped_events_total')).toEqual([' 7']);
    expect(await samples('quire_fenced_writes_total')).toEqual(['{rpc="AppendLogs"} 1']);
    expect(await samples('quire_claim_seconds_')).toEqual(['sum 0.004', 'count 1']);
    expect((await scrape()).text).toContain('quire_config_reload_success 0');
  });

  it('have no label with a run or a project in it', async () => {
    const id = await api.queued('the-first-key', 'alpha');
    const { text } = await scrape();
    expect([text.includes(id), text.includes('alpha')]).toEqual([false, false]);
  });

  it('leave out what the store cannot report, and say so in the log', async () => {
    await api.sql.transaction((tx) => tx.run('ALTER TABLE runs RENAME TO hidden'));
    const { status, text } = await scrape();
    expect([status, /^quire_runs\{/m.test(text), /^quire_log_bytes 42/m.test(text)]).toEqual([200, false, true]);
    expect(api.warnings).toContain('numbers of the queue are not available');
    await api.sql.transaction((tx) => tx.run('ALTER TABLE hidden RENAME TO runs'));
  });

  it('can be switched off', async () => {
    api.configure('metrics: {enabled: false}');
    const { status, text } = await scrape();
    expect([status, text]).toEqual([404, '{"error":{"code":"not_found"}}']);
  });
});
