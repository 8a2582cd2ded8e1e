import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DocsProcess, type Ending } from '../src/testkit/docs-process.ts';
import { type InstalledPackage, installPackage } from '../src/testkit/installed-package.ts';
import { eventually } from '../src/testkit/runs-faults/eventually.ts';

/** A build and some twenty processes take long on a busy machine. */
const TIMEOUT_MS = 300_000;

const API_TOKEN = 'a-token-of-many-characters';

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
}, TIMEOUT_MS);
afterEach(() => DocsProcess.killAll());
afterAll(() => installed.remove());

/** Starts `quire ...` as an installed program, with a folder of its own for what it writes. */
function quire(args: readonly string[], env: Readonly<Record<string, string>> = {}): DocsProcess {
  return DocsProcess.command(process.execPath, [installed.program, ...args], { cwd: installed.folder, env });
}

/** Runs a command to its end, which must be a success, and returns its output. */
async function output(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string> {
  const { code, signal, stdout, stderr }: Ending = await quire(args, env).ended;
  expect({ code, signal, stderr }, `quire ${args.join(' ')}\n${stdout}`).toEqual({ code: 0, signal: null, stderr: '' });
  return stdout;
}

/** The commands that a help page lists, in one group or several. */
const COMMAND = /^ {2}([a-z][a-z-]*)/gm;
function listedIn(help: string): string[] {
  const [, list = ''] = help.split(/\n {2}-h, --help .*\n\n/);
  return [...list.matchAll(COMMAND)].map(([, name]) => name!).filter((name) => name !== 'help');
}

/** Asks a command for help, which loads its code, and returns the commands that it lists. */
async function askForHelp(...command: string[]): Promise<string[]> {
  const help = await output([...command, '--help']);
  expect(help).toContain(`Usage: ${['quire', ...command].join(' ')} `);
  return listedIn(help);
}

async function post<T>(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect(response.ok, `${url}: ${text}`).toBe(true);
  return JSON.parse(text) as T;
}

describe('the published package, installed without development dependencies', () => {
  it('has every command, with help', async () => {
    const commands = await askForHelp();
    expect(commands).toEqual(expect.arrayContaining(['docs', 'runs', 'ship', 'import', 'export', 'search']));
    const below = new Map<string, string[]>();
    for (const name of commands) below.set(name, await askForHelp(name));
    expect(below.get('runs')).toEqual(expect.arrayContaining(['submit', 'logs']));
    expect(below.get('ship')).toEqual(expect.arrayContaining(['join', 'run']));
  }, TIMEOUT_MS);

  it('serves documents over HTTP, with pages, passwords, and threads for symbols and vectors', async () => {
    const database = join(installed.folder, 'quire.db');
    const server = quire(['docs', '--db', database, '--http-addr', '127.0.0.1:0'], {
      SVC_AUTH_ENABLED: 'true',
      SVC_AUTH_JWT_SECRET: 's'.repeat(32),
      SVC_AUTH_ADMIN_PASSWORD: 'correct horse battery staple',
      SVC_EMBEDDING_PROVIDER: 'builtin',
      // The packages for traces are not installed; the service starts without them.
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    });
    const url = await server.listening();
    const { token } = await post<{ token: string }>(`${url}/v1/auth/login`, {
      username: 'admin',
      password: 'correct horse battery staple',
    });
    const ask = <T>(path: string, body: object) => post<T>(`${url}${path}`, body, { Authorization: `Bearer ${token}` });

    await ask('/v1/add', {
      collection: 'notes',
      key: 'hello.ts',
      lang: 'en',
      contentMd: 'export function greet(): string { return "hello" }',
    });
    const { results } = await ask<{ results: { document: { key: string } }[] }>('/v1/fts', {
      collection: 'notes',
      query: 'greet',
    });
    expect(results.map(({ document }) => document.key)).toEqual(['hello.ts']);
    await eventually('the vector of the document',
      async () =>
        (await ask<{ results: object[] }>('/v1/vector-search', { collection: 'notes', query: 'greet' })).results
          .length || undefined);
    await ask('/v1/find-duplicates', { collection: 'notes' });
    const { data } = await ask<{ data: object }>('/graphql', {
      query: '{ search(input: {collection: "notes"}) { totalCount } }',
    });
    expect(data).toEqual({ search: { totalCount: 1 } });
    for (const page of ['/', '/console', '/docs', '/docs/swagger-ui-bundle.js', '/openapi.json', '/openapi.yaml',
      '/playground'])
      expect((await fetch(`${url}${page}`, { headers: { Authorization: `Bearer ${token}` } })).status, page).toBe(200);
    expect(await server.end()).toMatchObject({ code: 0 });

    expect(await output(['docs', '--verify-db', database])).toContain('sound');
  }, TIMEOUT_MS);

  it('serves a run queue, which a ship joins', async () => {
    const config = join(installed.folder, 'runs.yaml');
    await writeFile(config, `
listen: 127.0.0.1:0
data_dir: ${join(installed.folder, 'runs')}
runtime: {api_token_env: RUNS_API_TOKEN}
local: {enabled: false}
fleet: {enabled: true, listen: "127.0.0.1:0", enrol_listen: "127.0.0.1:0", advertise: 127.0.0.1}
`);
    const server = quire(['runs', '--config', config], { RUNS_API_TOKEN: API_TOKEN });
    const url = await server.listening();
    const authorization = { Authorization: `Bearer ${API_TOKEN}` };
    const { data: { command } } = await post<{ data: { command: string } }>(`${url}/api/v1/ships/tokens`, {
      name: 'one',
    }, authorization);
    const [program, ...args] = command.split(' ');
    expect(program).toBe('quire');
    const ship = join(installed.folder, 'ship');
    await mkdir(ship);
    expect(await output([...args, '--data-dir', ship])).toMatch(/^joined as one /);

    const sailing = quire(['ship', 'run', '--data-dir', ship]);
    await eventually('the ship to be there', async () => {
      const { data } = (await (await fetch(`${url}/api/v1/ships`, { headers: authorization })).json()) as {
        data: { name: string; online: boolean }[];
      };
      return data.some(({ name, online }) => name === 'one' && online) || undefined;
    });
    expect(await output(['runs', 'list', '--json', '--url', url], { RUNS_API_TOKEN: API_TOKEN }));
    expect(await sailing.end()).toMatchObject({ code: 0 });
    expect(await server.end()).toMatchObject({ code: 0 });
  }, TIMEOUT_MS);
});
