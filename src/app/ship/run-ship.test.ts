import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Identity } from '../../ship/identity/index.ts';
import { OWN_USER } from '../../testkit/runs-executor.ts';
import { HeardLog } from '../../testkit/ship/heard-log.ts';
import { RunsServer, type RunsServerOptions } from '../../testkit/ship/runs-server.ts';
import { TcpProxy } from '../../testkit/ship/tcp-proxy.ts';
import { joinShip } from './join-ship.ts';
import { runShip, type ShipRun } from './run-ship.ts';

const YAML = `
queue: {lease_ttl: 12s, heartbeat: 500ms, cancel_grace: 500ms}
pipelines:
  - {name: count, steps: [{name: one, run: 'for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5; do echo "line $i.$j"; done; sleep 0.15; done'}]}
  - {name: endless, steps: [{name: one, run: 'echo $$ > "$QUIRE_INPUT"; echo begun; sleep 1000'}]}
`;
const COUNTED = Array.from({ length: 50 }, (_, line) => `line ${Math.floor(line / 5) + 1}.${(line % 5) + 1}`);

let folder: string;
let server: RunsServer;
const runs: ShipRun[] = [];
const proxies: TcpProxy[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-run-ship-'));
});
afterEach(async () => {
  for (const { ship } of runs) ship.stop();
  for (const proxy of proxies) proxy.heal();
  await Promise.all(runs.splice(0).map(({ ended }) => ended));
  await server.service.stop();
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function serve(options: Partial<RunsServerOptions> = {}): Promise<RunsServer> {
  server = await RunsServer.start({ folder: join(folder, 'server'), yaml: YAML, ...options });
  return server;
}

/** Restarts the server behind the network, at another port, because the old one may be in use meanwhile. */
async function restart(proxy: TcpProxy, options: Partial<RunsServerOptions> = {}): Promise<void> {
  await server.service.stop();
  await serve(options);
  proxy.target = fleetTarget(server.service.fleet!.address);
}

function fleetTarget(address: string): TcpProxy['target'] {
  const [host, port] = address.split(':');
  return { host: host!, port: Number(port) };
}

const identityFile = (): string => join(folder, 'ship', 'identity.json');

interface Fleet {
  readonly run: ShipRun;
  readonly log: HeardLog;
  readonly proxy: TcpProxy;
}

/** A ship that has joined, and reaches its server through a network that can be cut. */
async function joinFleet(flags: { ephemeral?: boolean } = {}): Promise<TcpProxy> {
  const identity = await joinShip({
    server: server.service.fleet!.enrol,
    name: 'one',
    token: await server.makeToken('one'),
    capacity: 2,
    dataDir: join(folder, 'ship'),
    ...flags,
  }, {});
  const target = fleetTarget(identity.fleetAddress);
  const proxy = await TcpProxy.start(target);
  proxies.push(proxy);
  writeFileSync(identityFile(), JSON.stringify({ ...identity, fleetAddress: `${target.host}:${proxy.port}` }));
  return proxy;
}

async function startShip(flags: { ephemeral?: boolean } = {}): Promise<Fleet> {
  const proxy = await joinFleet(flags);
  const log = new HeardLog();
  const run = await begin(log);
  await log.heard('connected');
  return { run, log, proxy };
}

async function begin(log = new HeardLog()): Promise<ShipRun> {
  const run = await runShip({ dataDir: join(folder, 'ship'), sandbox: 'none', runAs: OWN_USER }, {
    PATH: process.env['PATH'],
  }, log);
  runs.push(run);
  return run;
}

const readIdentity = (): Identity => JSON.parse(readFileSync(identityFile(), 'utf8')) as Identity;

/** Whether a process exists and is not a zombie. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** A run whose work continues until it is stopped, with the process that executes it. */
async function beginEndless(): Promise<{ id: string; pid: number }> {
  const id = await server.submit('endless', join(folder, 'pid'));
  while (!existsSync(join(folder, 'pid')) || readFileSync(join(folder, 'pid'), 'utf8') === '') await setTimeout(20);
  return { id, pid: Number(readFileSync(join(folder, 'pid'), 'utf8')) };
}

describe('a remote ship', () => {
  it('survives a restart of the server: runs go on in their first attempt, logs are whole', async () => {
    await serve();
    const { log, proxy } = await startShip();
    const ids = await Promise.all([server.submit('count'), server.submit('count')]);
    await Promise.all(ids.map((id) => server.reached(id, 'running')));
    await restart(proxy);
    await log.heard('connected', 2);
    for (const id of ids) {
      expect(await server.reached(id, 'succeeded')).toMatchObject({ attempt: 1 });
      expect(await server.output(id)).toEqual(COUNTED);
    }
  }, 60_000);

  it('survives a network that breaks again and again', async () => {
    await serve();
    const { proxy } = await startShip();
    const id = await server.submit('count');
    await server.reached(id, 'running');
    for (let cut = 0; cut < 3; cut++) {
      await setTimeout(200);
      proxy.drop();
    }
    expect(await server.reached(id, 'succeeded')).toMatchObject({ attempt: 1 });
    expect(await server.output(id)).toEqual(COUNTED);
  });

  it('notices a connection that is dead without a word, and makes another', async () => {
    await serve();
    const { proxy, log } = await startShip();
    const { id, pid } = await beginEndless();
    proxy.strand();
    await log.heard('connected', 2);
    expect(await server.run(id)).toMatchObject({ state: 'running', attempt: 1 });
    expect(isAlive(pid)).toBe(true);
  });

  it('is dead before its run is assigned again, when it is cut off', async () => {
    await serve({ yaml: YAML.replace('lease_ttl: 12s', 'lease_ttl: 7s') });
    const { proxy } = await startShip();
    const { id, pid } = await beginEndless();
    proxy.cut();
    while ((await server.run(id)).attempt === 1) await setTimeout(10);
    expect(isAlive(pid)).toBe(false);
    proxy.heal();
  }, 30_000);

  it('that is revoked kills its work, deletes its key and ends', async () => {
    await serve();
    const { run } = await startShip();
    const { id, pid } = await beginEndless();
    await server.api('POST', `/ships/${run.identity.shipId}/revoke`);
    expect(await run.ended).toBe('denied');
    expect([isAlive(pid), existsSync(identityFile())]).toEqual([false, false]);
    expect(await server.run(id)).toMatchObject({ state: 'queued', attempt: 2 });
  });

  it(
    'that its server does not know, because an older backup was restored, keeps its key, and goes on when the ' +
      'right store is back',
    async () => {
      const data = join(folder, 'server');
      await serve();
      cpSync(data, join(folder, 'backup'), { recursive: true });
      const { run, log, proxy } = await startShip();
      await server.service.stop();
      cpSync(data, join(folder, 'newest'), { recursive: true });
      rmSync(data, { recursive: true });
      cpSync(join(folder, 'backup'), data, { recursive: true });
      await restart(proxy);
      await log.heard(
        'the server does not know this ship, perhaps since its store was restored; the ship keeps its key and ' +
          'tries again',
      );
      run.ship.stop();
      expect(await run.ended).toBe('drained');
      expect(existsSync(identityFile())).toBe(true);
      await server.service.stop();
      rmSync(data, { recursive: true });
      cpSync(join(folder, 'newest'), data, { recursive: true });
      await restart(proxy);
      const again = new HeardLog();
      await begin(again);
      await again.heard('connected');
      await server.reached(await server.submit('count'), 'succeeded');
    },
    60_000,
  );

  it('that is ephemeral leaves the fleet after one run', async () => {
    await serve();
    const { run } = await startShip({ ephemeral: true });
    const [first, second] = [await server.submit('count'), await server.submit('count')];
    expect(await run.ended).toBe('ephemeral');
    expect([(await server.run(first)).state, (await server.run(second)).state]).toEqual(['succeeded', 'queued']);
    expect(await server.api('GET', '/ships')).toEqual([]);
    expect(existsSync(identityFile())).toBe(false);
  });

  it('stops a run that is cancelled', async () => {
    await serve();
    await startShip();
    const { id, pid } = await beginEndless();
    await server.api('POST', `/runs/${id}/cancel`);
    await server.reached(id, 'cancelled');
    expect(isAlive(pid)).toBe(false);
  });

  it('that is stopped gives its run back', async () => {
    await serve();
    const { run } = await startShip();
    const { id, pid } = await beginEndless();
    run.ship.stop();
    expect(await run.ended).toBe('drained');
    expect(isAlive(pid)).toBe(false);
    expect(await server.run(id)).toMatchObject({ state: 'queued', attempt: 2 });
  });

  it('that is drained by the server ends when it is empty, and stays drained over a new start until it is undrained', async () => {
    await serve();
    const { run } = await startShip();
    const first = await server.submit('count');
    await server.reached(first, 'running');
    await server.api('POST', `/ships/${run.identity.shipId}/drain`);
    const second = await server.submit('count');
    await server.reached(first, 'succeeded');
    expect(await run.ended).toBe('drained');
    const log = new HeardLog();
    await begin(log);
    await log.heard('taking no more runs: the server drains this ship');
    expect(await server.run(second)).toMatchObject({ state: 'queued', waiting_reason: 'ship_draining' });
    await server.api('POST', `/ships/${run.identity.shipId}/undrain`);
    await server.reached(second, 'succeeded');
  });

  it('renews its certificate, under way and without losing a run', async () => {
    await serve({ shipCertTtl: '4s' });
    const { log } = await startShip();
    const before = readIdentity();
    const id = await server.submit('count');
    await log.heard('renewed the certificate');
    await log.heard('connected', 2);
    const after = readIdentity();
    expect(after.certificate).not.toBe(before.certificate);
    expect(after.key).not.toBe(before.key);
    expect(await server.reached(id, 'succeeded')).toMatchObject({ attempt: 1 });
    expect(await server.output(id)).toEqual(COUNTED);
  });

  it('that is too old for the server says so', async () => {
    await serve();
    await restart(await joinFleet(), { minShipVersion: '99.0.0' });
    expect(await (await begin()).ended).toBe('outdated');
    // The ship can be upgraded and continue.
    expect(existsSync(identityFile())).toBe(true);
  });

  it('does not share its folder with another', async () => {
    await serve();
    await startShip();
    await expect(begin()).rejects.toThrow(/is in use: another `quire ship run` works there/);
  });
});
