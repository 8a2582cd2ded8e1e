import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import type { Answer } from '../../testkit/http-client.ts';
import { CONFIG, RunsApi } from '../../testkit/runs-api.ts';

const tokenOf = (name: string, scopes: string, projects: string) =>
  `  - {name: ${name}, sha256: ${
    createHash('sha256').update(`the-token-of-${name}`).digest('hex')
  }, scopes: [${scopes}], projects: [${projects}]}`;
const by = (name: string) => ({ headers: { Authorization: `Bearer the-token-of-${name}` } });

let api: RunsApi;
beforeAll(async () => {
  api = await RunsApi.start({
    config: `${CONFIG.replace('{name: secret,', '{name: secret, approval: {required: true, timeout: 2h},')}
tokens:
${tokenOf('lead', 'approve', 'beta')}
${tokenOf('other', 'approve', 'alpha')}
${tokenOf('ci', 'submit', 'beta')}
`,
  });
});
afterAll(() => api.stop());

const run = (answer: Answer): Run => answer.json<{ data: Run }>().data;
const code = (
  answer: Answer,
): [number, string] => [answer.status, answer.json<{ error: { code: string } }>().error.code];

it('a run is approved or rejected once, by callers with the scope for it and its project', async () => {
  const body = { project_id: 'beta', kind: 'pipeline', task: 'secret' };
  const waiting = run(await api.enqueue('a-key-of-one', body));
  expect(waiting).toMatchObject({
    state: 'queued',
    waiting_reason: 'approval',
    approval: { state: 'waiting', by: null, at: null, expires_at: waiting.created_at + 7200 },
  });
  expect(code(await api.send('POST', `/runs/${waiting.id}/approve`, by('ci')))).toEqual([403, 'forbidden']);
  expect(code(await api.send('POST', `/runs/${waiting.id}/approve`, by('other')))).toEqual([404, 'run_not_found']);
  expect(run(await api.send('POST', `/runs/${waiting.id}/approve`, by('lead'))).approval).toMatchObject({
    state: 'approved',
    by: 'token:lead',
  });
  expect(code(await api.send('POST', `/runs/${waiting.id}/reject`, by('lead')))).toEqual([409, 'run_state_conflict']);
  const second = run(await api.enqueue('a-key-of-two', body));
  expect(run(await api.send('POST', `/runs/${second.id}/reject`))).toMatchObject({
    state: 'cancelled',
    approval: { state: 'rejected', by: 'api' },
  });
  const audit =
    (await api.send('GET', '/audit')).json<{ data: { action: string; actor: string; target: string }[] }>().data;
  expect(audit.filter(({ action }) => action !== 'enqueue').map(({ action, actor, target }) => [action, actor, target]))
    .toEqual([['reject', 'api', second.id], ['approve', 'token:lead', waiting.id]]);
  expect(code(await api.send('POST', `/runs/${'0'.repeat(32)}/approve`))).toEqual([404, 'run_not_found']);
});
