import { credentials } from '@grpc/grpc-js';
import { once } from 'node:events';
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Log, silentLog } from '../../lib/log.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { type Authority, type Certificate, makeAuthority } from '../../testkit/certificates.ts';
import { GrpcClient } from '../../testkit/grpc-client.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { type Certificates, readCertificates } from '../certificates.ts';
import { type RunningDocumentService, startDocumentService } from '../docs-service.ts';
import { type Environment, loadSettings } from '../settings/index.ts';

let authority: Authority;
let other: Authority;
let first: Certificate;
let second: Certificate;
let folder: string;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  [authority, other] = [await makeAuthority(), await makeAuthority()];
  [first, second] = [await authority.issue('server'), await authority.issue('server')];
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-certificates-'));
  await place(first);
  await writeFile(file('ca'), authority.cert);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await rm(folder, { recursive: true });
});

const file = (name: string): string => join(folder, name);

async function place({ cert, key }: Certificate): Promise<void> {
  await writeFile(file('cert'), cert);
  await writeFile(file('key'), key);
}

const settingsOf = (env: Environment = {}) =>
  loadSettings({
    env: {
      SVC_PATH: ':memory:',
      SVC_HTTP_ADDR: '127.0.0.1:0',
      SVC_GRPC_ADDR: '127.0.0.1:0',
      SVC_MCP_ADDR: '127.0.0.1:0',
      SVC_TLS_ENABLED: 'true',
      SVC_TLS_CERT: file('cert'),
      SVC_TLS_KEY: file('key'),
      ...env,
    },
  }).settings;

/** Records log lines, as level and message. */
function noting(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const at = (level: string) => (_: object, message: string) => void lines.push(`${level}: ${message}`);
  return { lines, log: { ...silentLog, info: at('info'), error: at('error') } };
}

const REPLACED = 'info: certificates were replaced';
const KEPT = 'error: the new certificates cannot be used; the former ones stay';

describe('the certificates of a server', () => {
  async function read(
    env: Environment = {},
  ): Promise<{ certificates: Certificates; lines: string[]; told: string[]; timer: ManualTimer }> {
    const { log, lines } = noting();
    const certificates = (await readCertificates(settingsOf(env), log))!;
    const [told, timer] = [[] as string[], new ManualTimer()];
    certificates.onChange(({ cert }) => told.push(cert.toString()));
    closers.push(() => certificates.stop());
    return { certificates, lines, told, timer };
  }

  it('follow their files', async () => {
    const { certificates, lines, told, timer } = await read();
    certificates.follow(timer);
    await timer.elapse();
    await vi.waitFor(() => expect(timer.sleeps).toHaveLength(2));
    expect(lines).toEqual([]);
    await place(second);
    await timer.elapse();
    await vi.waitFor(() => expect(told).toEqual([second.cert]));
    expect([certificates.current.cert.toString(), lines]).toEqual([second.cert, [REPLACED]]);
  });

  it('follow links that are exchanged, as Kubernetes does', async () => {
    await writeFile(file('cert2'), second.cert);
    await writeFile(file('key2'), second.key);
    const { certificates } = await read();
    for (const name of ['cert', 'key']) {
      await symlink(file(`${name}2`), file('link'));
      await rename(file('link'), file(name));
    }
    await certificates.reload();
    expect(certificates.current.cert.toString()).toBe(second.cert);
  });

  it.each([['no certificate', async () => writeFile(file('cert'), 'nonsense')], ['half a certificate',
    async () => writeFile(file('cert'), second.cert.slice(0, 200))], ['empty', async () => writeFile(file('key'), '')],
    ['the certificate of another key', async () => writeFile(file('cert'), second.cert)], ['an authority that is none',
    async () => writeFile(file('ca'), 'nonsense')], ['gone', async () => rm(file('key'))]])(
      'stay where the new ones are %s, which is reported once, and come when they are whole',
      async (_, corrupt) => {
        const { certificates, lines, told, timer } = await read({ SVC_TLS_CLIENT_CA: file('ca') });
        certificates.follow(timer);
        await corrupt();
        for (let looks = 2; looks < 5; looks++) {
          await timer.elapse();
          await vi.waitFor(() => expect(timer.sleeps).toHaveLength(looks));
        }
        expect([told, lines, certificates.current.cert.toString()]).toEqual([[], [KEPT], first.cert]);
        await certificates.reload();
        expect(lines).toEqual([KEPT, KEPT]);
        await writeFile(file('ca'), authority.cert);
        await place(second);
        await timer.elapse();
        await vi.waitFor(() => expect(told).toEqual([second.cert]));
      },
    );

  it('are refused at the start, with what is wrong', async () => {
    await writeFile(file('cert'), 'nonsense');
    await expect(readCertificates(settingsOf(), silentLog)).rejects.toThrow(/^SVC_TLS_CERT: cannot be used: /);
    await place({ ...first, key: second.key });
    await expect(readCertificates(settingsOf(), silentLog)).rejects.toThrow(ConfigError);
    await expect(readCertificates(settingsOf(), silentLog)).rejects.toThrow(/^SVC_TLS_KEY: cannot be used: /);
  });
});

describe('a running service', () => {
  async function start(env: Environment = {}): Promise<RunningDocumentService> {
    const service = await startDocumentService({ settings: settingsOf(env), log: silentLog });
    closers.push(() => service.stop());
    return service;
  }

  /** The certificate that a port shows to a new connection. */
  async function shownBy(url: string): Promise<string> {
    const { host, port } = URL.parse(url.includes('//') ? url : `https://${url}`)! as unknown as { host: string;
      port: string };
    const socket: TLSSocket = connect({
      host: host.split(':')[0]!,
      port: Number(port),
      ca: authority.cert,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    await once(socket, 'secureConnect');
    const { raw } = socket.getPeerCertificate();
    socket.destroy();
    return raw.toString('base64');
  }

  const base64Of = ({ cert }: Certificate): string => cert.replace(/-----[^-]+-----|\s/g, '');

  it('shows new connections the new certificate on every port, and drops none that is open', async () => {
    const service = await start();
    const { http, grpc, mcp } = service.listeners;
    const urls = [http!.url, grpc!.url, mcp!.url];
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.cert });
    const client = new GrpcClient(grpc!.url, { credentials: credentials.createSsl(Buffer.from(authority.cert)) });
    closers.push(() => agent.destroy(), () => client.close());
    const get = async (): Promise<{ status: number | undefined; port: number | undefined }> => {
      const sent = request(`${http!.url}/health`, { agent });
      sent.end();
      const [response] = await once(sent, 'response') as [IncomingMessage];
      const port = response.socket.localPort;
      response.resume();
      await once(response, 'end');
      return { status: response.statusCode, port };
    };
    const before = await get();
    const watch = client.stream('Watch', {});
    watch.on('error', () => undefined);
    await once(watch, 'metadata');
    expect(await Promise.all(urls.map(shownBy))).toEqual(urls.map(() => base64Of(first)));

    await place(second);
    await service.reload!();
    expect(await Promise.all(urls.map(shownBy))).toEqual(urls.map(() => base64Of(second)));
    // The same connection as before.
    expect(await get()).toEqual(before);
    const told = once(watch, 'data');
    await client.call('Add', { collection: 'c', key: 'k', lang: 'en', contentMd: 'x' });
    await told;
    watch.cancel();
  });

  it('takes a new authority of clients', async () => {
    const service = await start({ SVC_TLS_CLIENT_CA: file('ca') });
    const [ours, theirs] = [await authority.issue('client'), await other.issue('client')];
    const reach = async (own: Certificate): Promise<boolean[]> => {
      const client = new GrpcClient(service.listeners.grpc!.url, {
        credentials: credentials.createSsl(Buffer.from(authority.cert), Buffer.from(own.key), Buffer.from(own.cert)),
      });
      const grpc = await client.call('Health', {}, { deadline: Date.now() + 10_000 }).then(() => true, () => false);
      client.close();
      const sent = request(`${service.url}/health`, { agent: false, ca: authority.cert, ...own });
      sent.end();
      return [grpc, await once(sent, 'response').then(() => true, () => false)];
    };
    expect([await reach(ours), await reach(theirs)]).toEqual([[true, true], [false, false]]);
    await writeFile(file('ca'), other.cert);
    await service.reload!();
    expect([await reach(ours), await reach(theirs)]).toEqual([[false, false], [true, true]]);
  });

  it('does not wait for ever for a client that speaks no TLS, and serves others meanwhile', async () => {
    const service = await start();
    const { hostname, port } = new URL(service.url);
    const silent = connectTcp(Number(port), hostname);
    silent.on('error', () => undefined);
    const wrong = connectTcp(Number(port), hostname);
    wrong.on('error', () => undefined).resume();
    wrong.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(wrong, 'close');
    expect(await shownBy(service.url)).toBe(base64Of(first));
    silent.destroy();
  });

  it('without TLS has nothing to reload', async () => {
    expect((await start({ SVC_TLS_ENABLED: 'false' })).reload).toBeUndefined();
  });
});
