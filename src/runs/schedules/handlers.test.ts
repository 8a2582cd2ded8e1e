import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Schedule } from '../../../generated/runs/sdk/types.gen.ts';
import type { Answer } from '../../testkit/http-client.ts';
import { CONFIG, RunsApi } from '../../testkit/runs-api.ts';

const HASH = createHash('sha256').update('a-token-for-beta-alone').digest('hex');
const SCHEDULES = `${CONFIG}
schedules:
  - {name: nightly, project: beta, cron: '0 3 * * *', timezone: Europe/Berlin, task: build, input: at night, runs_on: [disk=ssd]}
  - {name: nightly, project: off, cron: '0 4 * * *', task: build}
tokens:
  - {name: ci, sha256: ${HASH}, scopes: [submit, read], projects: [beta]}
`.replace("beta.git'}", "beta.git', release_interval: 12h}") + "\nscheduler: {release_pipeline: build, jitter: '0'}\n";

let api: RunsApi;
beforeAll(async () => {
  api = await RunsApi.start({ config: SCHEDULES });
});
afterAll(() => api.stop());

const BETA = { headers: { Authorization: 'Bearer a-token-for-beta-alone' } };
const one = (answer: Answer): Schedule => answer.json<{ data: Schedule }>().data;
const all = (answer: Answer): Schedule[] => answer.json<{ data: Schedule[] }>().data;
const code = (
  answer: Answer,
): [number, string] => [answer.status, answer.json<{ error: { code: string } }>().error.code];
const seconds = (iso: string): number => Date.parse(iso) / 1000;

describe('schedules over the API', () => {
  it('are listed with what is next, those of projects behind those of the configuration', async () => {
    const list = all(await api.send('GET', '/schedules'));
    expect(
      list.map((
        { project_id: project, name, cron, interval, active, next_run_at: next },
      ) => [project, name, cron, interval, active, next]),
    ).toEqual([['beta', 'nightly', '0 3 * * *', null, true, seconds('2026-01-01T02:00Z')], ['off', 'nightly',
      '0 4 * * *', null, false, null], ['beta', 'release', null, '12h', true, seconds('2026-01-01T12:00Z')]]);
    expect(all(await api.send('GET', '/schedules', BETA)).map(({ project_id: project }) => project)).toEqual(['beta',
      'beta']);
  });

  it('are paused and resumed, which is noted and survives; what passes meanwhile is not made up for', async () => {
    await api.schedules.tick();
    const paused = one(await api.send('POST', '/schedules/beta/nightly/pause'));
    expect(paused).toMatchObject({ paused_by: 'api', paused_at: seconds('2026-01-01T00:00Z'), next_run_at: null });
    api.clock.ms += 86_400_000;
    expect(one(await api.send('POST', '/schedules/beta/nightly/pause'))).toEqual(paused);
    await api.schedules.tick();
    expect(one(await api.send('POST', '/schedules/beta/nightly/resume'))).toMatchObject({
      paused_by: null,
      paused_at: null,
      last_run: null,
      next_run_at: seconds('2026-01-02T02:00Z'),
    });
    await api.schedules.tick();
    api.clock.ms += 3 * 3_600_000;
    await api.schedules.tick();
    const [nightly] = all(await api.send('GET', '/schedules'));
    expect(nightly).toMatchObject({
      last_run: { state: 'queued', created_at: seconds('2026-01-02T03:00Z'), finished_at: null },
    });
    expect((await api.queue.get(nightly!.last_run!.id))!.runsOn).toEqual(['disk=ssd', 'gpu=a100', 'os=linux']);
    const audit =
      (await api.send('GET', '/audit?limit=10')).json<{ data: { action: string; actor: string; target: string }[] }>()
        .data;
    expect(audit.filter(({ target }) => target === 'beta/nightly').map(({ action, actor }) => [action, actor])).toEqual(
      [['resume', 'api'], ['pause', 'api']],
    );
  });

  it('are run now by callers that may queue runs of their project, once for each key', async () => {
    const first = await api.send('POST', '/schedules/beta/nightly/run', { key: 'run-it-now', headers: BETA.headers });
    expect([first.status, first.json<{ data: { project_id: string } }>().data.project_id]).toEqual([202, 'beta']);
    const again = await api.send('POST', '/schedules/beta/nightly/run', { key: 'run-it-now', headers: BETA.headers });
    expect([again.headers['idempotent-replayed'], again.json()]).toEqual(['true', first.json()]);
    const { id } = first.json<{ data: { id: string } }>().data;
    expect(all(await api.send('GET', '/schedules'))[0]!.last_run!.id).toBe(id);
    expect((await api.queue.material(id))!.input).toBe('at night');
    await api.send('POST', `/runs/${id}/cancel`);
    const retried =
      (await api.send('POST', `/runs/${id}/retry`, { key: 'run-it-again' })).json<{ data: { runs_on: string[] } }>()
        .data;
    expect(retried.runs_on).toContain('disk=ssd');
  });

  it('are refused where they are not there, or the token does not reach', async () => {
    const unknown = await api.send('POST', '/schedules/beta/nightyl/pause');
    expect([...code(unknown), unknown.text]).toEqual([404, 'schedule_not_found',
      expect.stringContaining('it has: nightly, release; did you mean nightly?')]);
    expect(code(await api.send('POST', '/schedules/nobody/nightly/run', { key: 'abcdefgh1' }))).toEqual([404,
      'schedule_not_found']);
    expect(code(await api.send('POST', '/schedules/beta/nightly/run'))).toEqual([400, 'idempotency_key_required']);
    expect(code(await api.send('POST', '/schedules/off/nightly/run', { key: 'abcdefgh2' }))).toEqual([400,
      'project_unavailable']);
    expect(code(await api.send('POST', '/schedules/off/nightly/run', { key: 'abcdefgh3', headers: BETA.headers })))
      .toEqual([403, 'forbidden']);
    expect(code(await api.send('POST', '/schedules/beta/nightly/pause', BETA))).toEqual([403, 'forbidden']);
  });
});
