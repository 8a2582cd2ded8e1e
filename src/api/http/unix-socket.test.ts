import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningDocumentService, startDocumentService } from '../../app/docs-service.ts';
import { type Environment, loadSettings } from '../../app/settings/index.ts';
import { silentLog } from '../../lib/log.ts';

// HTTP on `unix:/abs.sock` (decisions, section 5.3).

let folder: string;
let path: string;
const services: RunningDocumentService[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-http-'));
  path = join(folder, 'quire.sock');
});
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(env: Environment = {}): Promise<RunningDocumentService> {
  const { settings } = loadSettings({
    env: {
      SVC_PATH: ':memory:',
      SVC_HTTP_ADDR: `unix:${path}`,
      SVC_GRPC_ENABLED: 'false',
      SVC_MCP_ENABLED: 'false',
      ...env,
    },
  });
  const service = await startDocumentService({ settings, log: silentLog });
  services.push(service);
  return service;
}

async function send(method: string, target: string, headers: Record<string, string> = {},
  body?: string): Promise<number>
{
  const outgoing = request({ socketPath: path, method, path: target, headers });
  outgoing.end(body);
  const [answer] = await once(outgoing, 'response') as [IncomingMessage];
  answer.resume();
  return answer.statusCode!;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const DOCUMENT = '{"collection":"c","key":"a","lang":"en","contentMd":"a"}';

describe.skipIf(process.platform === 'win32')('HTTP on a unix socket', () => {
  it('is for its own user, also where a process that died has left one, and goes with its server', async () => {
    // A process that is killed leaves its socket behind.
    const script = `require('node:net').createServer().listen(${
      JSON.stringify(path)
    }, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    expect(statSync(path).isSocket()).toBe(true);
    const service = await start();
    expect(service.url).toBe(`unix:${path}`);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect(await send('POST', '/v1/add', JSON_TYPE, DOCUMENT)).toBe(200);
    await service.stop();
    expect(() => statSync(path)).toThrow('ENOENT');
  });

  it('of a running server is not taken from it', async () => {
    await start();
    await expect(start()).rejects.toThrow(`address unix:${path} is already in use`);
    expect(await send('GET', '/health')).toBe(200);
  });

  it('takes any Host, since no browser reaches it, and no page of another site that a proxy let through', async () => {
    await start();
    expect(await send('POST', '/v1/add', { ...JSON_TYPE, Host: 'docs.example.org' }, DOCUMENT)).toBe(200);
    expect(
      await send('POST', '/v1/add', { ...JSON_TYPE, Host: 'docs.example.org', Origin: 'https://docs.example.org' },
        DOCUMENT),
    ).toBe(200);
    expect(
      await send('POST', '/v1/add', { ...JSON_TYPE, Host: 'docs.example.org', Origin: 'https://evil.example' },
        DOCUMENT),
    ).toBe(403);
  });
});
