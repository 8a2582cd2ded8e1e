import { type Client, credentials, status } from '@grpc/grpc-js';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import type { TlsMaterial } from '../../lib/tls.ts';
import { encode } from '../../testkit/grpc-client.ts';
import { type FixtureOptions, GrpcFixture } from '../../testkit/grpc-fixture.ts';
import { serverCredentials } from './credentials.ts';

let folder: string;
const fixtures: GrpcFixture[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-grpc-'));
});
afterEach(async () => {
  await Promise.all(fixtures.splice(0).map((fixture) => fixture.stop()));
  rmSync(folder, { recursive: true, force: true });
});
const start = async (options: FixtureOptions = {}): Promise<GrpcFixture> => {
  const fixture = await GrpcFixture.start(options);
  fixtures.push(fixture);
  return fixture;
};

const asIs = (bytes: Buffer): Buffer => bytes;

/**
 * Calls the standard health service with hand-made bytes: field 1 of the request is the service, and of the response
 * the status.
 */
function health({ raw }: { raw: Client }, service: string): Promise<number> {
  const request = Buffer.concat([Buffer.from([0x0a, service.length]), Buffer.from(service)]);
  return new Promise((resolve, reject) => {
    raw.makeUnaryRequest('/grpc.health.v1.Health/Check', asIs, asIs, request,
      (error, answer) => (error === null ? resolve(answer![1]!) : reject(error)));
  });
}

const SERVING = 1;
const NOT_SERVING = 2;

describe('the server', () => {
  it('serves on the port that it names', async () => {
    const { server, client } = await start();
    expect(server.url).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(await client.call('DeleteEmbeddingConfig', {})).toEqual({});
  });

  it('serves on every interface without a host', async () => {
    const { server, client } = await start({ server: { address: { kind: 'tcp', port: 0 } } });
    expect(server.url).toMatch(/^localhost:\d+$/);
    expect(await client.call('DeleteEmbeddingConfig', {})).toEqual({});
  });

  it('says in one line when its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(start({ server: { address: { kind: 'tcp', host: '127.0.0.1', port } } })).rejects.toThrow(
      `address 127.0.0.1:${port} is already in use`,
    );
    other.close();
  });

  it('serves on a unix socket for its own user, also where a process that died has left one', async () => {
    const path = join(folder, 'quire.sock');
    // A process that is killed leaves its socket behind.
    const script = `require('node:net').createServer().listen(${
      JSON.stringify(path)
    }, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    expect(statSync(path).isSocket()).toBe(true);
    const { server, client } = await start({ server: { address: { kind: 'unix', path } } });
    expect(server.url).toBe(`unix:${path}`);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect(await client.call('DeleteEmbeddingConfig', {})).toEqual({});
    await expect(start({ server: { address: { kind: 'unix', path } } })).rejects.toThrow(
      `address unix:${path} is already in use`,
    );
    expect(await client.call('DeleteEmbeddingConfig', {})).toEqual({});
  });

  it('reports its health by the standard service', async () => {
    const { client } = await start();
    expect([await health(client, ''), await health(client, 'quire.docs.v1.DocumentDB')]).toEqual([SERVING, SERVING]);
    await expect(health(client, 'no.such.Service')).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  it('reports under readiness whether every search index serves, while the services serve in any case (decision D-130)', async () => {
    let tell: (ready: boolean) => void = () => undefined;
    const { client } = await start({ server: { followReadiness: (listener) => void (tell = listener) } });
    expect([await health(client, 'readiness'), await health(client, '')]).toEqual([NOT_SERVING, SERVING]);
    tell(true);
    expect(await health(client, 'readiness')).toBe(SERVING);
    tell(false);
    expect([await health(client, 'readiness'), await health(client, '')]).toEqual([NOT_SERVING, SERVING]);
  });

  it('reports each call once, by its method and how it ended', async () => {
    const seen: unknown[] = [];
    const held = Promise.withResolvers<object>();
    const { client, invocations } = await start({
      server: { observe: ({ method, code }) => void seen.push([method.split('/').at(-1), code]) },
      answer: ({ operation }) => {
        if (operation === 'getDocument') throw new ServiceError('not_found', 'not found');
        return operation === 'addDocument' ? held.promise : {};
      },
    });
    await client.call('DeleteEmbeddingConfig', {});
    await expect(client.call('Get', { collection: 'c', key: 'k', lang: 'en' })).rejects.toMatchObject({
      code: status.NOT_FOUND,
    });
    const unknown = await new Promise((resolve) =>
      client.raw.makeUnaryRequest('/quire.docs.v1.DocumentDB/Nothing', asIs, asIs, Buffer.alloc(0), resolve)
    );
    expect([unknown, seen]).toEqual([expect.objectContaining({ code: status.UNIMPLEMENTED }), [['DeleteEmbeddingConfig',
      'OK'], ['Get', 'NOT_FOUND']]]);
    const given = encode('Add', { collection: 'c', key: 'k', lang: 'en', contentMd: 'x' });
    const call = client.raw.makeUnaryRequest('/quire.docs.v1.DocumentDB/Add', asIs, asIs, given, () => undefined);
    await vi.waitFor(() => expect(invocations.at(-1)).toMatchObject({ operation: 'addDocument' }));
    call.cancel();
    await vi.waitFor(() => expect(seen.slice(2)).toEqual([['Add', 'CANCELLED']]));
    held.resolve({});
  });

  it('offers reflection only where it is switched on', async () => {
    const ask = ({ client }: GrpcFixture) => {
      const call = client.raw.makeBidiStreamRequest('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', asIs,
        asIs);
      call.write(Buffer.from([0x3a, 0x00]));
      return new Promise((resolve) => {
        call.on('data', (bytes: Buffer) => resolve(bytes.toString('latin1')));
        call.on('error', resolve);
      });
    };
    expect(await ask(await start())).toContain('quire.docs.v1.DocumentDB');
    expect(await ask(await start({ server: { reflection: false } }))).toMatchObject({ code: status.UNIMPLEMENTED });
  });
});

describe('a server that stops', () => {
  it('reports that it does not serve, ends endless calls, and waits for the others', async () => {
    const gate = Promise.withResolvers<void>();
    const fixture = await start({ answer: () => gate.promise });
    const watching = fixture.client.raw.makeServerStreamRequest('/grpc.health.v1.Health/Watch', asIs, asIs,
      Buffer.alloc(0));
    const told: number[] = [];
    watching.on('data', (bytes: Buffer) => told.push(bytes[1]!));
    const ended = once(watching, 'error');
    await vi.waitFor(() => expect(told).toEqual([SERVING]));
    const answer = fixture.client.call('DeleteEmbeddingConfig', {});
    await vi.waitFor(() => expect(fixture.invocations).toHaveLength(1));
    const stopped = fixture.server.stop(60_000);
    expect((await ended)[0]).toMatchObject({ code: status.UNAVAILABLE });
    gate.resolve();
    expect(await answer).toEqual({});
    await stopped;
    await fixture.server.stop(0);
  });

  it('cuts off what takes longer than it may', async () => {
    const fixture = await start({
      answer: ({ caller }) =>
        new Promise((_, reject) =>
          caller.signal!.addEventListener('abort', () => reject(caller.signal!.reason as Error))
        ),
    });
    const answer = fixture.client.call('FTS', {}).catch((error: unknown) => error);
    await vi.waitFor(() => expect(fixture.invocations).toHaveLength(1));
    await fixture.server.stop(20);
    expect(await answer).toMatchObject({
      code: expect.toSatisfy((code: number) => [status.CANCELLED, status.UNAVAILABLE].includes(code)),
    });
  });
});

describe('many watchers', () => {
  it('are all left when their clients go, without a trace', async () => {
    let open = 0;
    const signals = new Set<AbortSignal>();
    const fixture = await start({
      watch: async (_, signal) =>
        (async function*() {
          open += 1;
          signals.add(signal);
          try {
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
            yield* [];
          } finally {
            open -= 1;
          }
        })(),
    });
    const calls = Array.from({ length: 200 }, () => fixture.client.stream('Watch', { collection: 'c' }));
    for (const call of calls) call.on('error', () => undefined);
    await vi.waitFor(() => expect(open).toBe(200), { timeout: 10_000 });
    for (const call of calls) call.cancel();
    await vi.waitFor(() => expect(open).toBe(0), { timeout: 10_000 });
    expect([...signals].every(({ aborted }) => aborted)).toBe(true);
    // Nothing is open any more, so the stop does not wait.
    await fixture.server.stop(60_000);
  });
});

describe('TLS', () => {
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  const hasOpenssl = (() => {
    try {
      execFileSync('openssl', ['version'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  })();

  /** A key, and a certificate for a name that an authority has signed. */
  function issue(name: string, authority: string): { cert: Buffer; key: Buffer } {
    writeFileSync(join(folder, 'san'), `subjectAltName=DNS:${name},IP:127.0.0.1`);
    openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`,
      '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    openssl('x509', '-req', '-in', `${name}.csr`, '-CA', `${authority}.pem`, '-CAkey', `${authority}.key`,
      '-CAcreateserial', '-out', `${name}.pem`, '-days', '2', '-extfile', 'san');
    return { cert: readFileSync(join(folder, `${name}.pem`)), key: readFileSync(join(folder, `${name}.key`)) };
  }

  function authority(name: string): Buffer {
    openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout',
      `${name}.key`, '-out', `${name}.pem`, '-days', '2', '-subj', `/CN=${name}`);
    return readFileSync(join(folder, `${name}.pem`));
  }

  const reaches = (fixture: GrpcFixture): Promise<boolean> =>
    fixture.client.call('DeleteEmbeddingConfig', {}, { deadline: Date.now() + 5000 }).then(() => true, () => false);

  // openssl creates the certificates, because Node can only read them.
  it.skipIf(!hasOpenssl)('accepts callers that trust the server, and with an authority only those that it knows',
    async () => {
      const ca = authority('ours');
      const foreign = authority('theirs');
      const own = issue('localhost', 'ours');
      const client = issue('client', 'ours');
      const outsider = issue('stranger', 'theirs');
      const trusting = credentials.createSsl(ca);
      const known = credentials.createSsl(ca, client.key, client.cert);
      const unknown = credentials.createSsl(ca, outsider.key, outsider.cert);
      const serve = async (tls: TlsMaterial, as: typeof trusting) => {
        const fixture = await start({
          server: { credentials: serverCredentials({ current: tls, onChange: () => () => undefined }) },
          client: { credentials: as },
        });
        return reaches(fixture);
      };
      expect(await serve(own, trusting)).toBe(true);
      expect(await serve(own, credentials.createSsl(foreign))).toBe(false);
      expect(await serve(own, credentials.createInsecure())).toBe(false);
      const mutual = { ...own, clientCa: ca };
      expect(await serve(mutual, known)).toBe(true);
      expect(await serve(mutual, trusting)).toBe(false);
      expect(await serve(mutual, unknown)).toBe(false);
      expect(await serve({ ...mutual, clientAuth: 'request' }, trusting)).toBe(true);
      expect(await serve({ ...mutual, clientAuth: 'request' }, known)).toBe(true);
    });
});

describe('a client that is no client', () => {
  it('does not disturb the others', async () => {
    const fixture = await start();
    const [host, port] = fixture.server.url.split(':') as [string, string];
    const socket = new Socket().connect(Number(port), host);
    socket.on('error', () => undefined).resume();
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await once(socket, 'close');
    expect(await fixture.client.call('DeleteEmbeddingConfig', {})).toEqual({});
  });
});
