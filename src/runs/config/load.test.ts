import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { hashOf, inDataDir, loadRunsConfig } from './load.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-runs-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer({ keepAlive: false }, listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/runs.yaml`;
}

const TOKEN = 'a-token-of-enough-length';

describe('loadRunsConfig from a file', () => {
  it('reports where it came from, and that it can be written', async () => {
    const text = 'data_dir: /srv/runs\n';
    const loaded = await loadRunsConfig({ source: write('a.yaml', text), env: {} });
    expect(loaded).toMatchObject({
      source: join(folder, 'a.yaml'),
      readOnly: false,
      hash: hashOf(text),
      apiTokens: [],
    });
    expect(inDataDir(loaded.config, loaded.config.storage.sqlite.path)).toBe('/srv/runs/runs.db');
    expect(inDataDir(loaded.config, '/etc/ca')).toBe('/etc/ca');
  });

  it(
    'starts relative paths from the folder of the file, wherever the service is started, or from another one that ' +
      'is given',
    async () => {
      const source = write('paths.yaml', 'data_dir: ./data\ntls: {cert: c.pem, key: /k.pem}\n');
      const here = await loadRunsConfig({ source, env: {} });
      expect([here.folder, here.config.data_dir, here.config.tls]).toEqual([folder, join(folder, 'data'), {
        cert: join(folder, 'c.pem'),
        key: '/k.pem',
      }]);
      const there = await loadRunsConfig({ source, env: {}, folder: '/srv' });
      expect([there.folder, there.config.data_dir, inDataDir(there.config, 'runs.db')]).toEqual(['/srv', '/srv/data',
        '/srv/data/runs.db']);
    },
  );

  it.each([['none.yaml', undefined, /none\.yaml: the configuration cannot be read: ENOENT$/], ['large.yaml',
    Buffer.alloc(1_048_577, '#'), /large\.yaml: the configuration is larger than 1048576 bytes$/], ['latin.yaml',
    Buffer.from([0x61, 0x3a, 0x20, 0xe9]), /latin\.yaml: the configuration is not UTF-8$/]])('%s is refused',
      async (name, bytes, message) => {
        const source = bytes === undefined ? join(folder, name) : write(name, bytes);
        await expect(loadRunsConfig({ source, env: {} })).rejects.toMatchObject({
          name: 'RunsConfigError',
          problems: [expect.stringMatching(message)],
        });
      });

  it('the example file is a configuration with one project and one pipeline', async () => {
    const { config, apiTokens } = await loadRunsConfig({
      source: resolve(import.meta.dirname, '../../../runs.example.yaml'),
      env: {},
    });
    expect(config.projects.map(({ id }) => id)).toEqual(['demo']);
    expect(config.pipelines.map(({ name, checkout }) => [name, checkout])).toEqual([['hello', 'none']]);
    expect(config.local.enabled).toBe(true);
    expect(apiTokens).toEqual([]);
  });
});

describe('loadRunsConfig: the API token (run-queue decisions, section 2.1)', () => {
  const load = (env: Record<string, string>) =>
    loadRunsConfig({ source: write('token.yaml', 'runtime: {api_token_env: MY_TOKEN}'), env });

  it('is the value of the named variable, or two during a rotation', async () => {
    expect((await load({ MY_TOKEN: TOKEN })).apiTokens).toEqual([TOKEN]);
    expect((await load({ MY_TOKEN: `${TOKEN} another-token-of-enough-length` })).apiTokens).toEqual([TOKEN,
      'another-token-of-enough-length']);
  });

  it.each([[{}, 'is not set'], [{ MY_TOKEN: ' ' }, 'is not set'], [{ MY_TOKEN: 'fifteen-letters' },
    'holds a token shorter than 16 characters'], [{ MY_TOKEN: `${TOKEN} short` },
    'holds a token shorter than 16 characters'], [{ MY_TOKEN: `${TOKEN} ${TOKEN} ${TOKEN}` },
    'holds 3 tokens; expected one, or two while one replaces the other']])('%j: the service refuses to start',
      async (env: Record<string, string>, reason) => {
        await expect(load(env)).rejects.toMatchObject({
          problems: [`runtime.api_token_env: the variable MY_TOKEN ${reason}`],
        });
      });
});

describe('loadRunsConfig from a URL', () => {
  it('is read-only, asks with the bearer token, and remembers the version', async () => {
    const seen: (string | undefined)[] = [];
    const source = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers['if-none-match']);
      if (request.headers['if-none-match'] === '"v1"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"v1"' }).end('node_id: n1');
    });
    const env = { RUNS_CONFIG_BEARER: 'bearer-token' };
    const loaded = await loadRunsConfig({ source, env });
    expect(loaded).toMatchObject({ config: { node_id: 'n1' }, readOnly: true, source, etag: '"v1"' });
    expect(await loadRunsConfig({ source, env, etag: loaded.etag! })).toBeUndefined();
    expect(seen).toEqual(['Bearer bearer-token', undefined, 'Bearer bearer-token', '"v1"']);
  });

  it('refuses another status, without showing what the URL may hide', async () => {
    const source = await serve((_, response) => response.writeHead(403).end('no'));
    await expect(loadRunsConfig({ source: `${source}?key=hunter2`, env: {} })).rejects.toMatchObject({
      problems: [`${source}: the server returned 403`],
    });
  });

  it('stops reading at 1 MiB', async () => {
    const source = await serve((_, response) => {
      response.on('error', () => undefined);
      response.write(Buffer.alloc(1_048_577, '#'));
    });
    await expect(loadRunsConfig({ source, env: {} })).rejects.toMatchObject({
      problems: [`${source}: the configuration is larger than 1048576 bytes`],
    });
  });

  it('names the reason when no server responds', async () => {
    const source = await serve(() => undefined);
    await new Promise((done) => servers.splice(0)[0]!.close(done));
    await expect(loadRunsConfig({ source, env: {} })).rejects.toMatchObject({
      problems: [`${source}: the configuration cannot be read: ECONNREFUSED`],
    });
  });
});
