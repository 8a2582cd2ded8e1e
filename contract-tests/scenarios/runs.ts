import { expect } from 'vitest';
import type { Client } from '../../generated/runs/sdk/client/index.ts';
import { approveRun, cancelRun, deleteCaches, enqueueRun, finishOidcSignIn, getBadge, getCurrentUser, getForgeDelivery,
  getIdTokenConfiguration, getIdTokenKeys, getLiveness, getMetrics, getProjectForge, getReadiness, getRun, getRunResult,
  getRunSummary, getSignInMethods, listAudit, listCaches, listForgeDeliveries, listForges, listNotificationDeadLetters,
  listNotifications, listProjectTests, listRunAttempts, listRunJobs, listRuns, listRunStatuses, listRunTests,
  listSchedules, listTestHistory, logout, pauseSchedule, receiveAlerts, receiveForgeEvent, redeliverForgeEvent,
  redeliverNotifications, rejectRun, rerunRun, resumeSchedule, retryRun, runSchedule, searchLogs,
  startOidcSignIn } from '../../generated/runs/sdk/sdk.gen.ts';
import type { ErrorCode, Run } from '../../generated/runs/sdk/types.gen.ts';
import type { RunsApi } from '../../src/testkit/runs-api.ts';
import type { ScenarioContext, Scenarios } from '../provider.suite.ts';
import { type SdkResult, succeeded } from '../support/expectations.ts';

type Context = ScenarioContext<RunsApi, Client>;

const UNKNOWN = '0'.repeat(32);
let keys = 0;
const freshKey = () => `scenario-key-${++keys}`;
const headers = (key = freshKey()) => ({ 'Idempotency-Key': key });

/** An error has the documented form: a stable code, and a message where it helps. */
function refused({ error, response }: SdkResult<unknown>, status: number, code: ErrorCode): void {
  expect([response?.status, error]).toEqual([status, { error: expect.objectContaining({ code }) as unknown }]);
}

async function queued({ client }: Pick<Context, 'client'>): Promise<Run> {
  return succeeded(await enqueueRun({ client, headers: headers(), body: { project_id: 'beta', kind: 'diagnostic' } }))
    .data;
}

async function cancelled(context: Context): Promise<Run> {
  const { id } = await queued(context);
  return succeeded(await cancelRun({ client: context.client, path: { id } })).data;
}

/** Runs, alerts, the audit log, and the system (contract of the run queue, sections 4 and 7). */
export const runs: Scenarios<RunsApi, Client> = {
  async enqueueRun({ client, direct }) {
    const body = { project_id: 'alpha', kind: 'pipeline', task: 'build', input: { ref: 'main' } } as const;
    const key = freshKey();
    const first = await enqueueRun({ client, headers: headers(key), body });
    const again = await enqueueRun({ client, headers: headers(key), body });
    expect(succeeded(again).data.id).toBe(succeeded(first).data.id);
    expect([first.response!.headers.get('idempotent-replayed'), again.response!.headers.get('idempotent-replayed')])
      .toEqual([null, 'true']);
    refused(await enqueueRun({ client, headers: headers(key), body: { ...body, task: 'other' } }), 409,
      'idempotency_conflict');
    refused(await enqueueRun({ client, headers: headers(), body: { ...body, project_id: 'nope' } }), 400,
      'project_unavailable');
    refused(await enqueueRun({ client: direct, headers: headers(), body: { ...body, kind: 'shell' as 'pipeline' } }),
      400, 'unsupported_kind');
    refused(await enqueueRun({ client: direct, headers: {} as never, body }), 400, 'idempotency_key_required');
  },
  async listRuns(context) {
    const { client, direct } = context;
    const [older, newer] = [await queued(context), await queued(context)];
    const first = succeeded(await listRuns({ client, query: { limit: 1, project_id: 'beta' } }));
    expect(first.data.map(({ id }) => id)).toEqual([newer.id]);
    const second = succeeded(
      await listRuns({ client, query: { limit: 1, project_id: 'beta', before: first.next_cursor! } }),
    );
    expect(second.data.map(({ id }) => id)).toEqual([older.id]);
    refused(await listRuns({ client: direct, query: { before: '!' } }), 400, 'invalid_cursor');
  },
  async getRun(context) {
    const run = await queued(context);
    expect(succeeded(await getRun({ client: context.client, path: { id: run.id } })).data).toEqual(run);
    refused(await getRun({ client: context.client, path: { id: UNKNOWN } }), 404, 'run_not_found');
  },
  async cancelRun(context) {
    const { id, state } = await cancelled(context);
    expect(state).toBe('cancelled');
    refused(await cancelRun({ client: context.client, path: { id } }), 409, 'run_state_conflict');
    refused(await cancelRun({ client: context.client, path: { id: UNKNOWN } }), 404, 'run_not_found');
  },
  async retryRun(context) {
    const { client } = context;
    const { id } = await cancelled(context);
    expect(succeeded(await retryRun({ client, headers: headers(), path: { id } })).data).toMatchObject({
      retry_of: id,
      retry_number: 1,
      state: 'queued',
    });
    refused(await retryRun({ client, headers: headers(), path: { id: (await queued(context)).id } }), 409,
      'run_state_conflict');
    refused(await retryRun({ client, headers: headers(), path: { id: UNKNOWN } }), 404, 'run_not_found');
  },
  async rerunRun(context) {
    const { client } = context;
    const { id } = await cancelled(context);
    expect(succeeded(await rerunRun({ client, headers: headers(), path: { id }, query: { commit: 'newest' } })).data)
      .toMatchObject({ retry_of: id, retry_number: 1, state: 'queued', source: { type: 'rerun' } });
    refused(await rerunRun({ client, headers: headers(), path: { id: (await queued(context)).id } }), 409,
      'run_state_conflict');
    refused(await rerunRun({ client, headers: headers(), path: { id: UNKNOWN } }), 404, 'run_not_found');
  },
  async getRunResult(context) {
    const { client, server } = context;
    const waiting = await queued(context);
    refused(await getRunResult({ client, path: { id: waiting.id } }), 409, 'run_state_conflict');
    const id = await server.work({
      outcome: 'succeeded',
      started: true,
      result: { body: new TextEncoder().encode('done'), type: 'text/plain' },
    });
    expect(succeeded(await getRunResult({ client, path: { id } })).data).toMatchObject({
      content: 'done',
      content_type: 'text/plain',
      truncated: false,
    });
    refused(await getRunResult({ client, path: { id: (await cancelled(context)).id } }), 404, 'not_found');
  },
  async getRunSummary(context) {
    const { client, server } = context;
    const waiting = await queued(context);
    refused(await getRunSummary({ client, path: { id: waiting.id } }), 404, 'not_found');
    const id = await server.work({ outcome: 'succeeded', started: true, summary: '**212** tests passed' });
    expect(succeeded(await getRunSummary({ client, path: { id } })).data).toEqual({ content: '**212** tests passed' });
    refused(await getRunSummary({ client, path: { id: UNKNOWN } }), 404, 'run_not_found');
  },
  async listRunAttempts(context) {
    const { client, server } = context;
    const steps = [{
      name: 'test',
      startedMs: 1_766_400_000_000,
      endedMs: 1_766_400_001_000,
      outcome: 'failed',
      exitCode: 3,
      signal: null,
    }] as const;
    await queued(context);
    const id = await server.work({ outcome: 'failed', started: true, steps });
    expect(succeeded(await listRunAttempts({ client, path: { id } })).data).toEqual([expect.objectContaining({
      attempt: 1,
      outcome: 'failed',
      commit: null,
      steps: [{
        name: 'test',
        started_at: '2025-12-22T10:40:00.000Z',
        ended_at: '2025-12-22T10:40:01.000Z',
        outcome: 'failed',
        exit_code: 3,
        signal: null,
      }],
    })]);
    refused(await listRunAttempts({ client, path: { id: UNKNOWN } }), 404, 'run_not_found');
  },
  async receiveAlerts({ client }) {
    const alert = { status: 'firing', labels: {}, startsAt: '2026-01-01T00:00:00Z', fingerprint: 'f1' } as const;
    const body = {
      version: '4',
      status: 'firing',
      groupKey: 'g',
      commonLabels: { quire_project: 'beta' },
      alerts: [alert],
    } as const;
    const first = await receiveAlerts({ client, body: body as never });
    expect([first.response!.status, succeeded(first).data[0]]).toEqual([202,
      expect.objectContaining({ task: 'alert', kind: 'diagnostic' })]);
    const resolved = await receiveAlerts({ client, body: { ...body, status: 'resolved' } as never });
    expect([resolved.response!.status, succeeded(resolved)]).toEqual([200, { data: [] }]);
  },
  async listAudit(context) {
    const { id } = await cancelled(context);
    const { data } = succeeded(await listAudit({ client: context.client, query: { limit: 1, action: 'cancel' } }));
    expect(data).toEqual([expect.objectContaining({ actor: 'api', action: 'cancel', target: id })]);
    refused(await listAudit({ client: context.direct, query: { before: '!' } }), 400, 'invalid_cursor');
  },
  async listSchedules({ client }) {
    expect(succeeded(await listSchedules({ client })).data).toEqual([]);
  },
  async pauseSchedule({ client }) {
    refused(await pauseSchedule({ client, path: { project_id: 'alpha', name: 'nightly' } }), 404, 'schedule_not_found');
  },
  async resumeSchedule({ client }) {
    refused(await resumeSchedule({ client, path: { project_id: 'alpha', name: 'nightly' } }), 404,
      'schedule_not_found');
  },
  async runSchedule({ client }) {
    refused(await runSchedule({ client, headers: headers(), path: { project_id: 'alpha', name: 'nightly' } }), 404,
      'schedule_not_found');
  },
  async approveRun(context) {
    refused(await approveRun({ client: context.client, path: { id: (await queued(context)).id } }), 409,
      'run_state_conflict');
    refused(await approveRun({ client: context.client, path: { id: UNKNOWN } }), 404, 'run_not_found');
  },
  async rejectRun(context) {
    refused(await rejectRun({ client: context.client, path: { id: (await queued(context)).id } }), 409,
      'run_state_conflict');
  },
  async listForges({ client }) {
    expect(succeeded(await listForges({ client })).data).toEqual([]);
  },
  async getProjectForge({ client }) {
    expect(succeeded(await getProjectForge({ client, path: { id: 'alpha' } })).data).toEqual({
      forge: null,
      repository: 'org/alpha',
      poll: null,
      last_delivery: null,
      last_status: null,
    });
    refused(await getProjectForge({ client, path: { id: 'nobody' } }), 404, 'project_not_found');
  },
  async listRunJobs(context) {
    const { id } = await queued(context);
    expect(succeeded(await listRunJobs({ client: context.client, path: { id } })).data).toEqual([]);
    refused(await listRunJobs({ client: context.client, path: { id: UNKNOWN } }), 404, 'run_not_found');
  },
  async listRunStatuses(context) {
    const { id } = await queued(context);
    expect(succeeded(await listRunStatuses({ client: context.client, path: { id } })).data).toEqual([]);
    refused(await listRunStatuses({ client: context.client, path: { id: UNKNOWN } }), 404, 'run_not_found');
  },
  async listNotifications({ client }) {
    expect(succeeded(await listNotifications({ client })).data).toEqual([]);
  },
  async listNotificationDeadLetters({ client, direct }) {
    expect(succeeded(await listNotificationDeadLetters({ client }))).toEqual({ data: [], next_cursor: null });
    refused(await listNotificationDeadLetters({ client: direct, query: { before: '!' } }), 400, 'invalid_cursor');
  },
  async redeliverNotifications({ client }) {
    refused(await redeliverNotifications({ client, path: { name: 'chat' }, body: {} }), 404, 'notification_not_found');
  },
  async listRunTests(context) {
    const { client, direct } = context;
    const { id } = await queued(context);
    expect(succeeded(await listRunTests({ client, path: { id } }))).toMatchObject({ data: [], totals: { total: 0 } });
    refused(await listRunTests({ client, path: { id: UNKNOWN } }), 404, 'run_not_found');
    refused(await listRunTests({ client, path: { id }, query: { attempt: 2 } }), 400, 'invalid_attempt');
    refused(await listRunTests({ client: direct, path: { id }, query: { state: 'odd' as 'failed' } }), 400,
      'invalid_input');
    refused(await listRunTests({ client, path: { id }, query: { before: 'MToxOmE' } }), 400, 'invalid_cursor');
  },
  async listProjectTests({ client, direct }) {
    const path = { id: 'alpha' };
    expect(succeeded(await listProjectTests({ client, path, query: { flaky: true, sort: 'slowest' } })).data).toEqual(
      [],
    );
    refused(await listProjectTests({ client, path: { id: 'nope' } }), 404, 'project_not_found');
    refused(await listProjectTests({ client: direct, path, query: { sort: 'odd' as 'failing' } }), 400,
      'invalid_input');
    refused(await listProjectTests({ client, path, query: { before: 'MToxOmE' } }), 400, 'invalid_cursor');
  },
  async listTestHistory({ client, direct }) {
    const path = { id: 'alpha' };
    expect(succeeded(await listTestHistory({ client, path, query: { test: UNKNOWN } })).data).toEqual([]);
    refused(await listTestHistory({ client, path: { id: 'nope' }, query: { test: UNKNOWN } }), 404,
      'project_not_found');
    refused(await listTestHistory({ client: direct, path, query: { test: 'x' } }), 400, 'invalid_input');
  },
  async searchLogs({ client, direct }) {
    const { data, next_cursor: next } = succeeded(await searchLogs({ client, query: { q: 'no such words' } }));
    expect([data, next]).toEqual([[], null]);
    refused(await searchLogs({ client: direct, query: { q: ' ' } }), 400, 'invalid_input');
    refused(await searchLogs({ client: direct, query: {} as never }), 400, 'invalid_input');
    refused(await searchLogs({ client, query: { q: 'words', before: 'MToxOmE' } }), 400, 'invalid_cursor');
  },
  async receiveForgeEvent({ client, server }) {
    const event = () => receiveForgeEvent({ client, path: { kind: 'github' }, body: { zen: 'Design for failure.' } });
    refused(await event(), 401, 'unauthenticated');
    refused(await receiveForgeEvent({ client, path: { kind: 'git' }, query: { forge: 'nobody' }, body: {} }), 401,
      'unauthenticated');
    expect(await server.sql.all('SELECT * FROM forge_deliveries')).toEqual([]);
  },
  async listForgeDeliveries({ client, direct }) {
    expect(succeeded(await listForgeDeliveries({ client }))).toEqual({ data: [], next_cursor: null });
    refused(await listForgeDeliveries({ client: direct, query: { before: '!' } }), 400, 'invalid_cursor');
  },
  async getForgeDelivery({ client }) {
    refused(await getForgeDelivery({ client, path: { id: UNKNOWN } }), 404, 'delivery_not_found');
  },
  async redeliverForgeEvent({ client }) {
    refused(await redeliverForgeEvent({ client, path: { id: UNKNOWN } }), 404, 'delivery_not_found');
  },
  async listCaches({ client, direct }) {
    expect(succeeded(await listCaches({ client, path: { id: 'beta' } }))).toEqual({ data: [], next_cursor: null });
    refused(await listCaches({ client, path: { id: 'nobody' } }), 404, 'project_not_found');
    refused(await listCaches({ client: direct, path: { id: 'beta' }, query: { before: '!' } }), 400, 'invalid_cursor');
  },
  async deleteCaches({ client }) {
    expect(succeeded(await deleteCaches({ client, path: { id: 'beta' }, query: { prefix: 'npm-' } }))).toEqual({
      data: { deleted: 0, bytes: 0 },
    });
    refused(await deleteCaches({ client, path: { id: 'beta' } }), 400, 'invalid_input');
    refused(await deleteCaches({ client, path: { id: 'nobody' }, query: { key: 'npm-1' } }), 404, 'project_not_found');
  },
  async getBadge({ client }) {
    expect(succeeded(await getBadge({ client, path: { id: 'beta' } }))).toBeDefined();
    refused(await getBadge({ client, path: { id: 'nobody' } }), 404, 'project_not_found');
  },
  async getSignInMethods({ client }) {
    expect(succeeded(await getSignInMethods({ client })).data).toEqual({ oidc: false });
  },
  async startOidcSignIn({ client }) {
    refused(await startOidcSignIn({ client }), 404, 'not_found');
  },
  async finishOidcSignIn({ client, direct }) {
    refused(await finishOidcSignIn({ client, body: { flow: 'x', query: 'code=1' } }), 404, 'not_found');
    refused(await finishOidcSignIn({ client: direct, body: { flow: '', query: 'code=1' } }), 400, 'invalid_input');
  },
  async getCurrentUser({ client }) {
    expect(succeeded(await getCurrentUser({ client })).data).toEqual({
      name: 'api',
      expires_at: null,
      grants: [{ scopes: ['admin'], projects: null }],
    });
  },
  async logout({ client }) {
    refused(await logout({ client }), 400, 'invalid_input');
  },
  async getIdTokenConfiguration({ client }) {
    refused(await getIdTokenConfiguration({ client }), 404, 'not_found');
  },
  async getIdTokenKeys({ client }) {
    refused(await getIdTokenKeys({ client }), 404, 'not_found');
  },
  async getLiveness({ client }) {
    expect(succeeded(await getLiveness({ client })).data.status).toBe('ok');
  },
  async getReadiness({ client, server }) {
    expect(succeeded(await getReadiness({ client })).data).toEqual({
      status: 'ready',
      checks: { storage: 'ok', config: 'ok', fleet: 'disabled', sandbox: 'disabled' },
    });
    server.accepting = false;
    refused(await getReadiness({ client }), 503, 'storage_unavailable');
    server.accepting = true;
  },
  async getMetrics({ client }) {
    expect(succeeded(await getMetrics({ client }))).toContain('quire_runs_enqueued_total');
  },
};
