import { createRemoteJWKSet, jwtVerify } from 'jose';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OWN_USER } from '../../testkit/runs-executor.ts';
import { eventually } from '../../testkit/runs-faults/eventually.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../../testkit/runs-server.ts';

let server: RunsServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'people-'));
  await writeFile(join(folder, 'deploy-key'), 'the content of the file\n');
  server = await startRunsServer(`
local: {run_as: ${OWN_USER}, sandbox: none}
id_tokens: {issuer: 'https://runs.example.org'}
projects: [{id: alpha, repository: org/alpha}, {id: beta, repository: org/beta}]
secrets:
  - {name: DEPLOY_KEY, file: ${folder}/deploy-key, projects: [alpha]}
pipelines:
  - name: deploy
    timeout: 5m
    secrets: [DEPLOY_KEY]
    id_token: {CLOUD_TOKEN: {audience: sts.example.org}}
    steps:
      - {name: use, run: 'echo "key=$DEPLOY_KEY token=$CLOUD_TOKEN"; printf %s "$CLOUD_TOKEN" > ${folder}/token; printf %s "$DEPLOY_KEY" > ${folder}/key'}
`);
});
afterAll(() => Promise.all([server.remove(), rm(folder, { recursive: true })]));

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${API_TOKEN}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': `key-${performance.now()}`,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return ((await answer.json()) as { data: T }).data;
}

interface Run {
  readonly id: string;
  readonly state: string;
  readonly error: { readonly code: string; readonly message: string } | null;
}

async function ended(project: string): Promise<Run> {
  const { id } = await call<Run>('POST', '/runs', { project_id: project, kind: 'pipeline', task: 'deploy' });
  return eventually('the run has ended', async () => {
    const run = await call<Run>('GET', `/runs/${id}`);
    return ['succeeded', 'failed'].includes(run.state) ? run : undefined;
  });
}

it('a step gets a secret of a file and a token that others can check, both masked', async () => {
  const run = await ended('alpha');
  expect(run).toMatchObject({ state: 'succeeded' });
  expect(await readFile(join(folder, 'key'), 'utf8')).toBe('the content of the file');
  const keys = createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`));
  const { payload } = await jwtVerify(await readFile(join(folder, 'token'), 'utf8'), keys, {
    issuer: 'https://runs.example.org',
    audience: 'sts.example.org',
  });
  expect(payload).toMatchObject({
    sub: 'project:alpha:event:manual',
    run_id: run.id,
    actor: 'api',
    pipeline: 'deploy',
  });
  expect(payload.exp! - payload.iat!).toBe(300);
  const lines = await call<{ message: string }[]>('GET', `/runs/${run.id}/logs`);
  expect(lines.map(({ message }) => message)).toContain('key=*** token=***');
});

it('a run of another project does not start with it', async () => {
  const run = await ended('beta');
  expect(run.error).toMatchObject({
    code: 'secret_unavailable',
    message: 'the secret DEPLOY_KEY is not available: it is not for the project beta',
  });
});

it('tells without a token how its tokens are checked', async () => {
  const answer = await fetch(`${server.url}/.well-known/openid-configuration`);
  expect([answer.status, await answer.json()]).toMatchObject([200, {
    issuer: 'https://runs.example.org',
    jwks_uri: 'https://runs.example.org/.well-known/jwks.json',
    id_token_signing_alg_values_supported: ['RS256'],
  }]);
});
