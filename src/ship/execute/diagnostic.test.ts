import type { MessageInitShape } from '@bufbuild/protobuf';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type DiagnosticPlanSchema, Outcome } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { Origin, serveGit } from '../../testkit/git-origin.ts';
import { assignmentOf, executorBench, start } from '../../testkit/runs-executor.ts';
import { gitHost } from './diagnostic.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function diagnose(plan: MessageInitShape<typeof DiagnosticPlanSchema>,
  options: Parameters<typeof executorBench>[0] = {})
{
  const { executor, close, left } = executorBench({ open: true, ...options });
  cleanups.push(close);
  return Object.assign(
    start(executor, assignmentOf({ case: 'diagnostic', value: { check: '', gitUrl: '', roles: [], ...plan } })),
    { left },
  );
}

async function modelServer(answer: (key: string | undefined) => number): Promise<string> {
  const server: Server = createServer((request, response) => {
    response.statusCode = request.url === '/v1/models' ? answer(request.headers.authorization) : 500;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  cleanups.push(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

describe('diagnostic runs (decisions, section 5)', () => {
  it('make every check, a line each, and succeed when none finds an error', async () => {
    const origin = mkdtempSync(join(tmpdir(), 'quire-repository-'));
    cleanups.push(() => rmSync(origin, { recursive: true }));
    execFileSync('git', ['-C', origin, 'init', '--quiet']);
    execFileSync('git', ['-C', origin, '-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '--quiet',
      '--allow-empty', '-m', 'one']);
    const endpoint = await modelServer((key) => (key === 'Bearer role-key-123' ? 200 : 401));
    const running = diagnose({
      check: 'anything else',
      gitUrl: `file://${origin}`,
      roles: [{ role: 'writer', endpoint, apiKeyEnv: 'K' }, { role: 'other', endpoint, apiKeyEnv: 'UNSET' }],
    }, { env: { PATH: process.env['PATH'], K: 'role-key-123' }, serverOffsetMs: () => -1500 });
    const result = await running.result;
    const lines = running.text();
    expect(lines.map((line) => line.split(':')[0])).toEqual(['versions', 'clock', 'disk', 'memory', 'work_dir',
      'sandbox', 'git', 'repository', 'host', 'models', 'models']);
    expect(lines[1]).toBe("clock: the service's clock is 1s500ms behind");
    expect(lines[7]).toBe('repository: git can read the repository');
    expect(lines.slice(-2)).toEqual([`models: role writer: ${endpoint} answers`,
      "models: role other: the variable UNSET is not set, so its runs don't come here"]);
    expect(running.lines.at(-1)).toMatchObject({ level: 'warn', stream: 'system', step: null });
    expect(running.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(result).toEqual({ outcome: Outcome.SUCCEEDED });
    expect([running.starts, running.left()]).toEqual([1, []]);
  });

  it('fail with the names of the checks that found errors', async () => {
    const endpoint = await modelServer(() => 403);
    const running = diagnose({ gitUrl: '/no/such/repository', roles: [{ role: 'writer', endpoint, apiKeyEnv: '' }] });
    expect(await running.result).toMatchObject({
      outcome: Outcome.FAILED,
      error: { code: 'diagnostic_failed', message: '2 of 10 checks found errors: repository, models' },
    });
    expect(running.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      expect.stringContaining("repository: git can't read the repository: fatal"),
      `models: role writer: ${endpoint} answers 403: it refuses the key`,
    ]);
  });

  it('read a private repository with the credentials of a checkout, and leave nothing of them', async () => {
    const origin = new Origin();
    const server = await serveGit(origin.folder, 'a-token-of-git');
    cleanups.push(() => origin.remove(), () => server.stop());
    const plan = { check: 'repository', gitUrl: `${server.url}/origin/.git` };
    const without = diagnose(plan);
    expect(await without.result).toMatchObject({ outcome: Outcome.FAILED });
    const running = diagnose({ ...plan, credentials: { username: 'git', password: 'a-token-of-git' } });
    expect(await running.result, running.text().join('\n')).toEqual({ outcome: Outcome.SUCCEEDED });
    expect([running.text(), running.left()]).toEqual([['repository: git can read the repository'], []]);
    const key = diagnose({ ...plan, credentials: { sshKey: 'no key', password: '' } });
    await key.result;
    expect(key.left()).toEqual([]);
  });

  it('make only the check that is named', async () => {
    const running = diagnose({ check: 'work_dir', gitUrl: '/no/such/repository' });
    expect((await running.result).outcome).toBe(Outcome.SUCCEEDED);
    expect(running.text()).toEqual([expect.stringMatching(/^work_dir: .* can be written to$/)]);
  });

  it.each([[300_000, 'error'], [-6_000, 'warn'], [0, 'info'], [undefined, 'warn']])(
    'judge a clock that is off by %s ms: %s',
    async (offset, level) => {
      const running = diagnose({ check: 'clock' }, { serverOffsetMs: () => offset });
      await running.result;
      expect(running.lines[0]!.level).toBe(level);
    },
  );

  it('say why a host cannot be reached', async () => {
    const server = createTcpServer((socket) => void socket.on('error', () => undefined).end('no TLS here')).listen(0,
      '127.0.0.1');
    cleanups.push(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [open, noTls] = [diagnose({ check: 'host', gitUrl: `ssh://git@127.0.0.1:${port}/x` }),
      diagnose({ check: 'host', gitUrl: `https://127.0.0.1:${port}/x` })];
    expect((await open.result).outcome).toBe(Outcome.SUCCEEDED);
    expect(open.text()[0]).toBe(`host: 127.0.0.1 is 127.0.0.1; port ${port} is open`);
    expect((await noTls.result).error).toMatchObject({ code: 'diagnostic_failed' });
  });

  it('say when git is missing', async () => {
    const running = diagnose({ check: 'git' }, { env: { PATH: '/nowhere' } });
    expect((await running.result).error).toMatchObject({ code: 'diagnostic_failed' });
    expect(running.text()[0]).toContain("git can't be used");
  });

  it('end with a stop, and leave no process', async () => {
    const silent = createTcpServer(() => undefined).listen(0, '127.0.0.1');
    cleanups.push(() => silent.close());
    await once(silent, 'listening');
    const accepted = once(silent, 'connection');
    const running = diagnose({
      check: 'repository',
      gitUrl: `git://127.0.0.1:${(silent.address() as AddressInfo).port}/x`,
    });
    const [socket] = await accepted;
    running.stop();
    expect(await running.result).toEqual({ outcome: Outcome.CANCELLED });
    if (existsSync('/proc/self/environ')) expect(await running.living()).toEqual([]);
    socket.destroy();
  });
});

describe('gitHost', () => {
  it.each([['https://github.com/a/b.git', { host: 'github.com', port: 443, tls: true, web: true }], [
    'http://git.local:3000/a',
    { host: 'git.local', port: 3000, tls: false, web: true },
  ], ['ssh://git@host:2222/a', { host: 'host', port: 2222, tls: false, web: false }], ['git@github.com:a/b.git', {
    host: 'github.com',
    port: 22,
    tls: false,
    web: false,
  }], ['git@[::1]:a', { host: '::1', port: 22, tls: false, web: false }], ['file:///a/b', undefined], ['/a/b',
    undefined], ['', undefined]])('finds the host of %s', (address, expected) => {
      expect(gitHost(address)).toEqual(expected);
    });
});
