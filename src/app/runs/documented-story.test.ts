// The pipeline of docs/run-queue.md, read from that page: a private repository, a commit, a cache, an artefact, a
// webhook.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { loadRunsConfig } from '../../runs/config/index.ts';
import { runQuire } from '../../testkit/commands/run-command.ts';
import { serveGit } from '../../testkit/git-origin.ts';
import { OWN_USER } from '../../testkit/runs-executor.ts';
import { WebhookEndpoint } from '../../testkit/webhook-endpoint.ts';
import { type RunningRunQueueService, startRunQueueService } from '../runs-service.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/run-queue.md'), 'utf8');
const [, yaml = '', commands = ''] = /```yaml\n(# build\.yaml\n[\s\S]*?)```\n\n```sh\n([\s\S]*?)```/.exec(PAGE) ?? [];
const [API_TOKEN, GIT_TOKEN] = ['a-token-of-many-characters', 'a-token-for-git'];

let folder: string;
let chat: WebhookEndpoint;
let git: Awaited<ReturnType<typeof serveGit>>;
let service: RunningRunQueueService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-story-'));
  const origin = join(folder, 'team/alpha.git');
  const work = join(folder, 'alpha');
  mkdirSync(work);
  writeFileSync(join(work, 'package.json'), JSON.stringify({ name: 'alpha', version: '1.0.0' }));
  writeFileSync(join(work, 'package-lock.json'), JSON.stringify({
    name: 'alpha',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: 'alpha', version: '1.0.0' } },
  }));
  const run = (...args: string[]): string =>
    execFileSync('git', ['-C', work, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  run('init', '--quiet', '--initial-branch=main');
  run('add', '.');
  run('commit', '--quiet', '-m', 'one');
  run('clone', '--quiet', '--bare', work, origin);
  git = await serveGit(folder, GIT_TOKEN);
  chat = await WebhookEndpoint.open();
  const file = join(folder, 'build.yaml');
  // Only the hosts, which are on this machine and without TLS, and the data folders differ.
  const here = yaml.replaceAll('https://git.example.org/team/alpha.git', 'team/alpha').replaceAll(
    'https://git.example.org',
    git.url,
  ).replace('{api_token_env', `{git_url_template: "${git.url}/{repository}.git", api_token_env`).replace(
    'https://chat.example.org/builds',
    chat.url,
  ).replace('{webhooks:', '{allow_private: loopback, webhooks:');
  writeFileSync(file,
    `listen: 127.0.0.1:0\ndata_dir: ${join(folder, 'data')}\nlocal: {sandbox: none, run_as: ${OWN_USER}}\n${here}`);
  const variables = {
    PATH: process.env['PATH'],
    RUNS_API_TOKEN: API_TOKEN,
    GIT_TOKEN,
    CHAT_KEY: 'a-key-of-the-chat-room',
  };
  service = await startRunQueueService({
    loaded: await loadRunsConfig({ source: file, env: variables }),
    variables,
    log: silentLog,
    validateResponses: true,
  });
});
afterAll(async () => {
  await service.stop();
  git.stop();
  await chat.close();
  rmSync(folder, { recursive: true, force: true });
});

const quire = (line: string) =>
  runQuire([...line.replace(/#.*/, '').trim().split(/\s+/).slice(1), '--url', service.url, '--token', API_TOKEN]);

it('is shown in fewer than 40 lines, and does what is said of it', async () => {
  expect(`${yaml}${commands}`.split('\n').length).toBeLessThan(40);
  const [submit, download] = commands.trim().split('\n');
  const first = await quire(submit!);
  expect(first, first.stdout).toMatchObject({ exitCode: 0 });
  const second = await quire(submit!);
  expect(second.stdout).toContain('restored the cache npm-');
  expect(`${first.stdout}${second.stdout}`).not.toContain(GIT_TOKEN);
  const [id] = second.stdout.split('\n');
  const out = join(folder, 'out');
  const files = await quire(download!.replace('ID', id!).replace('out', out));
  expect(files).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/dist\/alpha-1\.0\.0\.tgz .*\n.*dist\/commit/),
  });
  const commit = readFileSync(join(out, 'dist/commit'), 'utf8').trim();
  expect(execFileSync('tar', ['-tzf', join(out, 'dist/alpha-1.0.0.tgz')], { encoding: 'utf8' })).toContain(
    'package/package.json',
  );
  const answer = await fetch(`${service.url}/api/v1/runs/${id}`, { headers: { authorization: `Bearer ${API_TOKEN}` } })
    .then((response) => response.json()) as { data: object };
  expect(answer.data).toMatchObject({ ref: 'main', commit });
  await chat.until(2);
  expect(JSON.parse(chat.received[1]!.text)).toMatchObject({ event: 'run.succeeded', run: { id, commit } });
  expect(chat.received[1]!.headers['x-svc-signature']).toMatch(/^sha256=/);
});

it('downloads over HTTP as files to be saved, in parts where that is asked for', async () => {
  const headers = { authorization: `Bearer ${API_TOKEN}` };
  const { data: [run] } = await fetch(`${service.url}/api/v1/runs?limit=1`, { headers }).then((response) =>
    response.json()
  ) as { data: [{ id: string }] };
  const url = `${service.url}/api/v1/runs/${run.id}/artifacts/${encodeURIComponent('dist/commit')}`;
  const whole = await fetch(url, { headers });
  expect([whole.status, Object.fromEntries(whole.headers)]).toEqual([200, expect.objectContaining({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringContaining('attachment; filename="commit"'),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  })]);
  const text = await whole.text();
  const part = await fetch(url, { headers: { ...headers, range: 'bytes=0-6' } });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, `bytes 0-6/${text.length}`,
    text.slice(0, 7)]);
  expect((await fetch(url, { headers: { ...headers, 'if-none-match': whole.headers.get('etag')! } })).status).toBe(304);
  expect((await fetch(url)).status).toBe(401);
  const attempts = await fetch(`${service.url}/api/v1/runs/${run.id}/attempts`, { headers }).then((response) =>
    response.json()
  );
  expect(attempts).toMatchObject({
    data: [{
      attempt: 1,
      outcome: 'succeeded',
      commit: text.trim(),
      steps: [{ name: 'install', outcome: 'succeeded', exit_code: 0 }, { name: 'pack' }],
    }],
  });
});
