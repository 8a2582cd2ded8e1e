import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inspectRemains } from '../testkit/crash/inspect-database.ts';
import { DocsProcess, type Ending } from '../testkit/docs-process.ts';
import { HttpClient } from '../testkit/http-client.ts';

let folder: string;
let database: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-start-'));
  database = join(folder, 'data', 'quire.db');
});
afterEach(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true, force: true });
});

const document = { collection: 'notes', key: 'hello', lang: 'en', contentMd: '# Hello' };
const args = (...more: string[]) => ['--http-addr', '127.0.0.1:0', '--db', database, ...more];

/** A failed start prints the reason as one line to standard error, without a stack trace, and exits by itself. */
function expectRefusal(ending: Ending, reason: RegExp): void {
  expect(ending.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(ending.stderr).toMatch(reason);
  expect(ending.stdout).not.toContain('listening on');
  expect(ending.code).toBeGreaterThan(0);
}

async function addDocument(url: string): Promise<void> {
  const client = new HttpClient(url);
  expect((await client.post('/v1/add', document)).status).toBe(200);
  client.close();
}

/** A database in the state that a stopped server leaves. */
async function makeDatabase(): Promise<void> {
  const { server, url } = await DocsProcess.serve(database);
  await addDocument(url);
  await server.end();
}

describe('the document service does not start', () => {
  it('on an address that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const ending = await DocsProcess.run(args('--http-addr', `127.0.0.1:${port}`)).ended;
    other.close();
    expectRefusal(ending, new RegExp(`^SVC_HTTP_ADDR: .*127\\.0\\.0\\.1:${port}.*in use; stop`));
    // It must not have left its database locked or incomplete.
    await makeDatabase();
  });

  it('on an address of gRPC that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const ending = await DocsProcess.run(args('--grpc-enabled', 'on', '--grpc-addr', `127.0.0.1:${port}`)).ended;
    other.close();
    expectRefusal(ending, new RegExp(`^SVC_GRPC_ADDR: .*127\\.0\\.0\\.1:${port}.*in use; stop`));
  });

  it('where the folder of the database cannot be made', async () => {
    // Nobody, not even root, can create a path below a regular file.
    await writeFile(join(folder, 'data'), 'a file');
    expectRefusal(await DocsProcess.run(args()).ended, /cannot open database .*quire\.db/);
  });

  it.skipIf(process.getuid?.() === 0)('where the folder cannot be written (root may write everywhere)', async () => {
    await mkdir(join(folder, 'data'), { mode: 0o500 });
    expectRefusal(await DocsProcess.run(args()).ended, /cannot open database .*quire\.db/);
  });

  it('on a file that is no database', async () => {
    await mkdir(join(folder, 'data'));
    await writeFile(database, 'not a database, but long enough to be read as one '.repeat(200));
    expectRefusal(await DocsProcess.run(args()).ended, /^SVC_PATH: .*not a database/);
  });

  it('on a damaged database, and names the command that saves what can be read', async () => {
    await makeDatabase();
    await truncate(database, 20_000);
    expectRefusal(await DocsProcess.run(args()).ended, /^SVC_PATH: .*malformed; .*--repair-db .*quire\.db --repair-to/);
  });

  it('on a database that another process serves, which goes on', async () => {
    const { server, url } = await DocsProcess.serve(database);
    expectRefusal(await DocsProcess.run(args()).ended, /^SVC_PATH: .*in use by another process; stop that process/);
    await addDocument(url);
    await server.end();
  });

  it('on a database that a newer build wrote (decisions, section 9), and leaves it as it is', async () => {
    await makeDatabase();
    const newer = new DatabaseSync(database);
    newer.exec(`INSERT INTO schema_version(version, name, breaking, applied_at) VALUES (9999, 'future', 1, 0)`);
    newer.close();
    expectRefusal(await DocsProcess.run(args()).ended, /newer version/);
    const remains = new DatabaseSync(database, { readOnly: true });
    expect(remains.prepare('SELECT count(*) AS n FROM documents').get()).toEqual({ n: 1 });
    remains.close();
  });

  it.each([[['--mode', 'sideways'], /mode.*read, write, wr/i], [['--http-addr', 'nowhere:99999'], /http-addr/], [[
    '--config',
    '/nonexistent/quire.yaml',
  ], /quire\.yaml/], [['--colour', 'blue'], /unknown option/]])('with %j', async (wrong, reason) => {
    const ending = await DocsProcess.run(args(...wrong)).ended;
    expect(ending.stderr).toMatch(reason);
    expect(ending.stderr).not.toMatch(/^\s+at /m);
    expect(ending.code).toBeGreaterThan(0);
    expect(existsSync(database)).toBe(false);
  });

  it('with a wrong variable, which it names', async () => {
    const ending = await DocsProcess.run(args(), { env: { SVC_TTL_SWEEP_INTERVAL: 'soon' } }).ended;
    expectRefusal(ending, /SVC_TTL_SWEEP_INTERVAL.*soon/);
  });
});

describe('the document service stops', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('on %s in order: exit code 0, the write-ahead log folded in',
    async (signal) => {
      const { server, url } = await DocsProcess.serve(database);
      await addDocument(url);
      const ending = await server.end(signal);
      expect([ending.code, ending.signal]).toEqual([0, null]);
      for (const page of ['console', 'docs']) expect(ending.stdout).toContain(`${url}/${page}\n`);
      expect((await readdir(join(folder, 'data'))).filter((name) => /-(wal|shm|journal)$/.test(name))).toEqual([]);
      await copyFile(database, join(folder, 'copy.db'));
      expect(await inspectRemains(join(folder, 'copy.db'))).toEqual({ faults: [], head: 1 });
    });

  it('in order, also on a signal that follows its first line at once', async () => {
    const { server } = await DocsProcess.serve(database);
    const ending = await server.end();
    expect([ending.code, ending.signal]).toEqual([0, null]);
    expect(await readdir(join(folder, 'data'))).not.toContain('quire.db-wal');
  });

  it('at once during its start', async () => {
    const server = DocsProcess.run(args(), { env: { SVC_MODE: 'wr' } });
    while (!existsSync(database)) await setImmediate();
    const ending = await server.end();
    expect([ending.signal, ending.stdout]).toEqual(['SIGTERM', '']);
  });

  it('only after it has answered the requests in flight, while it refuses new connections', async () => {
    // With a grace period of an hour, the process exits early only because of the response, although the client keeps
    // its connection.
    const server = DocsProcess.run(args(), { env: { SVC_SHUTDOWN_TIMEOUT_SEC: '3600' } });
    const url = await server.listening();
    const slow = openRequest(url);
    await slow.halfSent;
    const ended = server.end('SIGTERM');
    await refuses(url);
    slow.finish();
    expect((await slow.answer).split('\r\n')[0]).toBe('HTTP/1.1 200 OK');
    expect((await ended).code).toBe(0);
    expect((await inspectRemains(database)).head).toBe(1);
  });

  it('at once on a second signal', async () => {
    const { server, url } = await DocsProcess.serve(database);
    const slow = openRequest(url);
    await slow.halfSent;
    const ended = server.end('SIGTERM');
    await refuses(url);
    process.kill(server.pid, 'SIGTERM');
    const ending = await ended;
    expect(ending.code ?? ending.signal).not.toBe(0);
    await slow.answer;
  });

  it('with npm start, which passes the signal on and leaves no process behind', async () => {
    const server = DocsProcess.command('npm', ['start', '--', ...args()]);
    const url = await server.listening();
    await addDocument(url);
    const { vectorConfig } = (await (await fetch(`${url}/v1/config`)).json()) as { vectorConfig: object };
    expect(vectorConfig).toEqual({ enabled: true, provider: 'builtin', model: 'static-en-256', dimensions: 256 });
    process.kill(server.pid, 'SIGTERM');
    // The output stays open as long as any process can write to it, so this waits for all of them.
    const ending = await server.ended;
    // npm reports the end by the signal or by a code, depending on its version; the test checks only what is left.
    expect(ending.stderr).not.toMatch(/^\s+at /m);
    expect(server.groupIsAlive).toBe(false);
    expect(existsSync(`${database}-wal`)).toBe(false);
  });
});

/** An addition whose body is not sent completely, so that the server must wait for it. */
function openRequest(url: string): { halfSent: Promise<void>; finish: () => void; answer: Promise<string> } {
  const body = JSON.stringify(document);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const arrived = Promise.withResolvers<void>();
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    // The interim response proves that the server has started to process the request.
    if (text.includes('100 Continue')) arrived.resolve();
  });
  const head = ['POST /v1/add HTTP/1.1', 'Host: localhost', 'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`, 'Expect: 100-continue'];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
  return {
    halfSent: arrived.promise,
    finish: () => void socket.write(body.slice(10)),
    answer: once(socket, 'close').then(() => text.replace('HTTP/1.1 100 Continue\r\n\r\n', '')),
  };
}

/** Resolves when no process accepts connections at the address any more. */
async function refuses(url: string): Promise<void> {
  for (;;) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const connected = await once(socket, 'connect').then(() => true, () => false);
    socket.destroy();
    if (!connected) return;
    await setImmediate();
  }
}
