import { create } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { CompleteStatus, Fleet as FleetProtocol, HelloSchema, Outcome, type ServerMessage, ShipInfoSchema,
  ShipMessageSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type Operations, operations } from '../../../generated/runs/operations.ts';
import { readSpecification } from '../../app/specification.ts';
import { createInvoker } from '../../operations/index.ts';
import { provesRevocation } from '../../ship/identity/index.ts';
import { DAY_MS, eventually, FleetFixture, type FleetFixtureOptions } from '../../testkit/runs-fleet.ts';

let fixture: FleetFixture;

afterEach(() => fixture.stop());

const start = async (
  options: FleetFixtureOptions = {},
): Promise<FleetFixture> => (fixture = await FleetFixture.start(options));

const list = () => fixture.handle('listShips', {});

const only = async () => (await list()).data[0]!;

describe('the list of ships (decisions, section 2.7)', () => {
  it('shows each ship with all that is known of it, in the order of joining, and the worker of this process', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-02', {
      capacity: 3,
      kinds: ['pipeline', 'ai_text'],
      version: '1.1.0',
      ephemeral: true,
      arch: 'arm64',
    }, ['gpu=a100']);
    fixture.now += 1000;
    await fixture.ship('build-01');
    await fixture.submit();
    await stream.take();
    const { data, enabled, local } = await list();
    const joined = Math.floor((fixture.now - 1000) / 1000);
    expect(data[0]).toEqual({
      id: ship.id,
      name: 'build-02',
      labels: ['os=linux', 'arch=arm64', 'ship=build-02', 'gpu=a100'],
      platform: 'linux/arm64',
      version: '1.1.0',
      online: true,
      revoked: false,
      draining: false,
      ephemeral: true,
      capacity: 3,
      running: 1,
      kinds: ['pipeline', 'ai_text'],
      joined_at: joined,
      last_seen_at: joined,
      cert_expires_at: joined + 30 * DAY_MS / 1000,
      revoked_at: null,
    });
    expect(data[1]).toMatchObject({ name: 'build-01', online: false, last_seen_at: null, running: 0 });
    expect(enabled).toBe(true);
    expect(local).toMatchObject({
      enabled: true,
      capacity: 2,
      running: 0,
      labels: expect.arrayContaining(['ship=local']),
    });
  });

  it('calls a ship online until it has missed two heartbeats, also after a restart', async () => {
    await start();
    const { stream } = await fixture.connected('build-01');
    fixture.now += 40_000;
    stream.heartbeat([], 1);
    await stream.next('ack');
    stream.cancel();
    fixture.now += 29_999;
    expect(await only()).toMatchObject({ online: true, last_seen_at: Math.floor((fixture.now - 29_999) / 1000) });
    const now = fixture.now;
    await fixture.stop({ keepFolder: true });
    await start({ folder: fixture.folder });
    fixture.now = now;
    expect(await only()).toMatchObject({ online: true });
    fixture.now += 1;
    expect(await only()).toMatchObject({ online: false, last_seen_at: Math.floor((now - 29_999) / 1000) });
  });

  it('follows what a ship says of itself when it connects, but not its labels', async () => {
    await start();
    const { ship } = await fixture.connected('build-01');
    const stream = ship.connect();
    stream.hello([], ship.sessionId, create(ShipInfoSchema, {
      ...ship.info,
      version: '2.0.0',
      capacity: 9,
      kinds: ['diagnostic', 'teleport'],
      roles: ['B_KEY', 'A_KEY'],
      os: 'plan9',
      name: 'king',
    }));
    await stream.next('welcome');
    expect(await only()).toMatchObject({
      name: 'build-01',
      version: '2.0.0',
      capacity: 9,
      kinds: ['diagnostic'],
      platform: 'linux/amd64',
    });
    expect(fixture.roster.hasKeyVariable('A_KEY')).toBe(true);
    expect(fixture.roster.hasKeyVariable('C_KEY')).toBe(false);
  });

  it('is counted for metrics', async () => {
    await start();
    const { stream } = await fixture.connected('build-01', { capacity: 4 });
    const { ship } = await fixture.connected('build-02', { capacity: 2 });
    await fixture.ship('build-03');
    await fixture.submit();
    await fixture.handle('drainShip', { id: ship.id });
    await stream.next('assignment');
    expect(await fixture.fleet.numbers()).toEqual({
      ships: [{ status: 'online', count: 1 }, { status: 'offline', count: 1 }, { status: 'draining', count: 1 }, {
        status: 'revoked',
        count: 0,
      }],
      slots: [{ status: 'free', count: 3 }, { status: 'busy', count: 1 }],
      certificates: [{ subject: 'ca', expiresMs: fixture.authority!.expiresMs }],
    });
  });
});

describe('a join token', () => {
  it('comes with the command to type', async () => {
    await start();
    const { data } = await fixture.handle('createJoinToken', {
      name: 'build-01',
      labels: ['gpu=a100', 'zone=b', 'gpu=a100'],
    });
    expect(data).toEqual({
      token: expect.stringMatching(/^qj1\./),
      name: 'build-01',
      labels: ['gpu=a100', 'zone=b'],
      expires_at: Math.floor((fixture.now + 900_000) / 1000),
      command: `quire ship join --server ${fixture.addresses.enrol()} --name build-01 --token ${data.token}`,
    });
    expect(await fixture.sql.all("SELECT actor, action, target FROM audit WHERE action = 'token'")).toEqual([{
      actor: 'api',
      action: 'token',
      target: 'build-01',
    }]);
  });

  it('is refused for a name that a live ship, an open token or this process has, until it is free', async () => {
    await start();
    await fixture.token('build-01');
    fixture.now += 60_500;
    await expect(fixture.token('build-01')).rejects.toMatchObject({
      code: 'join_token_exists',
      message:
        'a join token for build-01 is unused and valid for another 14m; use it, wait until it expires, or choose ' +
        'another name',
    });
    await expect(fixture.token('local')).rejects.toMatchObject({ code: 'invalid_name' });
    fixture.now += 900_000;
    const ship = await fixture.ship('build-01');
    await expect(fixture.token('build-01')).rejects.toMatchObject({
      code: 'ship_exists',
      message: 'a ship has the name build-01; revoke it first, or choose another name',
    });
    await fixture.handle('revokeShip', { id: ship.id });
    await fixture.token('build-01');
  });

  it('is refused with the code of the field that is wrong', async () => {
    await start();
    const invoke = createInvoker<Operations>({
      operations,
      inputs: (await readSpecification('runs')).inputs,
      handlers: fixture.fleet.handlers,
      mode: () => 'wr',
      timeoutMs: 1000,
    });
    const ask = (input: object) =>
      invoke('createJoinToken', input as never, {
        protocol: 'http',
        requestId: 'r',
        signal: new AbortController().signal,
      });
    for (const name of ['', '-x', 'x-', 'A', 'a b', 'a'.repeat(64)])
      await expect(ask({ name, labels: [] }), name).rejects.toMatchObject({ code: 'invalid_name' });
    for (const label of ['gpu', '=a', 'gpu=', 'os=linux', 'arch=x', 'ship=other', 'Gpu=a', 'gpu=a b'])
      await expect(ask({ name: 'a', labels: [label] }), label).rejects.toMatchObject({ code: 'invalid_label' });
    await expect(ask({ name: 'a', labels: Array.from({ length: 33 }, (_, n) => `k=${n}`) })).rejects.toMatchObject({
      code: 'invalid_label',
    });
    await ask({ name: 'a' });
  });

  it('is made once of two that are asked for at the same time', async () => {
    await start();
    const outcomes = await Promise.allSettled([fixture.token('a'), fixture.token('a'), fixture.token('a')]);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  });

  it('cannot be had while the fleet is off; listing and revoking work', async () => {
    await start();
    const ship = await fixture.ship('build-01');
    await fixture.stop({ keepFolder: true });
    await start({ folder: fixture.folder, enabled: false });
    await expect(fixture.token('build-02')).rejects.toMatchObject({ code: 'fleet_disabled', status: 409 });
    expect(await list()).toMatchObject({ enabled: false, data: [{ name: 'build-01' }] });
    expect((await fixture.handle('revokeShip', { id: ship.id })).data).toMatchObject({ revoked: true });
  });
});

describe('revoking a ship', () => {
  it('ends its stream at once, gives its runs to others, and denies every later call (scenario 19)', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    const { ref } = await stream.take();
    await ship.append(ref, 0, ['one']);
    const { data } = await fixture.handle('revokeShip', { id: ship.id });
    expect(data).toMatchObject({
      revoked: true,
      online: false,
      running: 0,
      revoked_at: Math.floor(fixture.now / 1000),
    });
    const end = await stream.ended;
    expect(end).toMatchObject({ code: status.PERMISSION_DENIED });
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'queued', attempt: 2, shipId: null });
    const denied = { code: status.PERMISSION_DENIED };
    await expect(ship.append(ref, 1, ['two'])).rejects.toMatchObject(denied);
    await expect(ship.complete(ref, Outcome.SUCCEEDED)).rejects.toMatchObject(denied);
    await expect(ship.call(FleetProtocol.method.renewCertificate, {})).rejects.toMatchObject(denied);
    await expect(ship.call(FleetProtocol.method.leave, {})).rejects.toMatchObject(denied);
    const again = await ship.connect().ended;
    expect(again).toMatchObject(denied);
    // Only the authority can make this proof, and only for this ship.
    const roots = fixture.authority!.bundle().map((der) => new X509Certificate(der).toString()).join('');
    for (const { metadata } of [end, again]) {
      const [proof] = metadata.get('quire-revocation-bin') as Buffer[];
      expect([provesRevocation(proof!, ship.id, roots), provesRevocation(proof!, '0'.repeat(32), roots)]).toEqual([true,
        false]);
    }
  });

  it('is not what a server says that does not know the ship, as after the restore of an older backup', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    await fixture.sql.transaction(async (tx) => {
      await tx.run('DELETE FROM ship_certs');
      await tx.run('DELETE FROM ships');
    });
    await fixture.timer.elapse();
    for (const { code, metadata } of [await stream.ended, await ship.connect().ended])
      expect([code, metadata.get('quire-revocation-bin')]).toEqual([status.NOT_FOUND, []]);
    await expect(ship.call(FleetProtocol.method.renewCertificate, {})).rejects.toMatchObject({
      code: status.NOT_FOUND,
    });
  });

  it('is done once, and again is no error', async () => {
    await start();
    const ship = await fixture.ship('build-01');
    const first = await fixture.handle('revokeShip', { id: ship.id });
    fixture.now += 60_000;
    expect(await fixture.handle('revokeShip', { id: ship.id })).toEqual(first);
    expect(await fixture.sql.all("SELECT target FROM audit WHERE action = 'revoke'")).toEqual([{ target: ship.id }]);
  });

  it("on another server of the store is noticed here within the upkeep's 5 seconds", async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    await ship.append({ runId: '0'.repeat(32), attempt: 1, fencingToken: 1n } as never, 0, []);
    await fixture.sql.transaction((tx) =>
      tx.run('UPDATE ships SET revoked_ms = 1, live_name = NULL WHERE id = ?', [ship.id])
    );
    await fixture.timer.elapse();
    expect(await stream.ended).toMatchObject({ code: status.PERMISSION_DENIED });
    await expect(ship.append({ runId: '0'.repeat(32), attempt: 1, fencingToken: 1n } as never, 0, [])).rejects
      .toMatchObject({ code: status.PERMISSION_DENIED });
  });

  it('ends a ship that does not read, whatever waits for it', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01', { capacity: 100 });
    stream.raw.pause();
    for (let n = 0; n < 40; n++) await fixture.submit({ input: 'x'.repeat(250_000) });
    await eventually(async () => (await only()).running === 40);
    await fixture.handle('revokeShip', { id: ship.id });
    expect((await fixture.fleet.numbers()).slots).toEqual([{ status: 'free', count: 0 }, { status: 'busy', count: 0 }]);
    stream.raw.resume();
    expect(await stream.ended).toMatchObject({ code: status.PERMISSION_DENIED });
    expect(stream.count('assignment')).toBeLessThan(40);
    await expect(ship.complete({ runId: '0'.repeat(32), attempt: 1, fencingToken: 1n } as never, 1)).rejects
      .toMatchObject({ code: status.PERMISSION_DENIED });
  });
});

describe('a ship that does not read what it is sent', () => {
  it('is cut off before it fills the memory, and its runs go to others', async () => {
    await start();
    const { stream } = await fixture.connected('build-01', { capacity: 1000 });
    stream.raw.pause();
    for (let n = 0; n < 120; n++) await fixture.submit({ input: 'x'.repeat(250_000) });
    await eventually(async () => (await fixture.fleet.numbers()).slots.every(({ count }) => count === 0));
    stream.raw.resume();
    expect(await stream.ended).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    fixture.now += 10_001;
    await fixture.parts.tick();
    expect((await fixture.queue.list({ state: 'queued' }, undefined, 200)).length).toBe(120);
  });
});

describe('draining a ship', () => {
  it('assigns it no more runs, notifies it, and lets it finish', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    const { ref } = await stream.take();
    expect((await fixture.handle('drainShip', { id: ship.id })).data).toMatchObject({ draining: true, running: 1 });
    expect(await stream.next('drain')).toMatchObject({ exit: true, deadlineMs: 0n });
    const waiting = await fixture.submit();
    expect((await ship.complete(ref, Outcome.SUCCEEDED)).status).toBe(CompleteStatus.RECORDED);
    stream.heartbeat([], 4);
    await stream.next('ack');
    expect((await fixture.queue.get(run.id))!.state).toBe('succeeded');
    expect((await fixture.queue.get(waiting.id))!.state).toBe('queued');
    expect((await fixture.handle('drainShip', { id: ship.id })).data.draining).toBe(true);
    expect(stream.count('drain')).toBe(1);
    expect(await fixture.sql.all("SELECT target FROM audit WHERE action = 'drain'")).toHaveLength(1);
  });

  it(
    'lasts over reconnections and restarts of its program until it is undrained; only the program that was notified ' +
      'ends',
    async () => {
      await start();
      const { ship } = await fixture.connected('build-01');
      await fixture.handle('drainShip', { id: ship.id });
      const same = ship.connect();
      same.hello();
      expect(await same.next('drain')).toMatchObject({ exit: true });
      const restarted = ship.connect();
      restarted.hello([], Buffer.from('restarted'));
      expect(await restarted.next('drain')).toMatchObject({ exit: false });
      expect((await only()).draining).toBe(true);
      const run = await fixture.submit();
      expect(fixture.queue.explain((await fixture.queue.get(run.id))!).waitingReason).toBe('ship_draining');
      expect((await fixture.handle('undrainShip', { id: ship.id })).data.draining).toBe(false);
      await restarted.next('undrain');
      expect((await restarted.take()).ref.runId).toBe(run.id);
      await fixture.handle('undrainShip', { id: ship.id });
      expect(await fixture.sql.all("SELECT target FROM audit WHERE action = 'undrain'")).toEqual([{ target: ship.id }]);
    },
  );

  it('that is taken back while the ship is away lets its next program work', async () => {
    await start();
    const ship = await fixture.ship('build-01');
    await fixture.handle('drainShip', { id: ship.id });
    await fixture.handle('undrainShip', { id: ship.id });
    const stream = ship.connect();
    stream.hello();
    await stream.next('welcome');
    await fixture.submit();
    await stream.take();
    expect(stream.count('drain')).toBe(0);
  });

  it('of a ship that is not connected counts for the program that connects next', async () => {
    await start();
    const ship = await fixture.ship('build-01');
    await fixture.handle('drainShip', { id: ship.id });
    for (let n = 0; n < 2; n++) {
      const stream = ship.connect();
      stream.hello();
      await stream.next('drain');
    }
    expect((await only()).draining).toBe(true);
  });

  it('is also what a ship does on its own', async () => {
    await start();
    const { stream } = await fixture.connected('build-01');
    stream.heartbeat([], 4, { draining: true });
    await stream.next('ack');
    const run = await fixture.submit();
    expect((await only()).draining).toBe(true);
    stream.heartbeat([], 4, { draining: false });
    expect((await stream.take()).ref.runId).toBe(run.id);
  });
});

describe('a ship that leaves', () => {
  it('is a member no more: its runs go back, its name is free, its certificate is good for nothing', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    await stream.take();
    await ship.call(FleetProtocol.method.leave, { reason: 'one run was enough' });
    expect(await stream.ended).toMatchObject({ code: status.OK });
    expect((await list()).data).toEqual([]);
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'queued', attempt: 2 });
    const again = ship.connect();
    expect(await again.ended).toMatchObject({ code: status.NOT_FOUND });
    await fixture.ship('build-01');
    expect(await fixture.sql.all("SELECT actor, detail FROM audit WHERE action = 'leave'")).toEqual([{
      actor: `ship:${ship.id}`,
      detail: '{"reason":"one run was enough"}',
    }]);
  });
});

describe('removing a ship', () => {
  it('needs that it is revoked, and leaves nothing of it', async () => {
    await start();
    const ship = await fixture.ship('build-01');
    await expect(fixture.handle('deleteShip', { id: ship.id })).rejects.toMatchObject({
      code: 'conflict',
      status: 409,
    });
    await fixture.handle('revokeShip', { id: ship.id });
    await fixture.handle('deleteShip', { id: ship.id });
    expect((await list()).data).toEqual([]);
    expect(await fixture.sql.all('SELECT * FROM ship_certs')).toEqual([]);
    await expect(fixture.handle('deleteShip', { id: ship.id })).rejects.toMatchObject({ code: 'ship_not_found' });
  });

  it('and everything else returns 404 for a ship that there is not', async () => {
    await start();
    for (const id of ['0'.repeat(32), 'local:node', 'xyz', '']) {
      for (const operation of ['revokeShip', 'drainShip', 'undrainShip', 'deleteShip'] as const)
        await expect(fixture.handle(operation, { id })).rejects.toMatchObject({ code: 'ship_not_found', status: 404 });
    }
  });
});

describe('the ship in this process', () => {
  it('works over the same service without a certificate, also while the fleet is off', async () => {
    await start({ enabled: false });
    const received: ServerMessage[] = [];
    const peer = { shipId: 'local:node' };
    const session = fixture.fleet.service.connect(peer, {
      send: (message) => void received.push(message),
      close: () => undefined,
    });
    const info = create(ShipInfoSchema, {
      name: 'local',
      version: '0.0.1',
      protocol: 1,
      os: 'linux',
      arch: 'amd64',
      kinds: ['pipeline'],
      capacity: 2,
      roles: ['LOCAL_KEY'],
    });
    await session.receive(create(ShipMessageSchema, {
      body: { case: 'hello', value: create(HelloSchema, { sessionId: new Uint8Array([1]), info }) },
    }));
    expect(received.map(({ body }) => body.case)).toEqual(['welcome']);
    const run = await fixture.submit({ runsOn: ['ship=local'] });
    await eventually(() => received.length > 1);
    expect(received[1]!.body).toMatchObject({ case: 'assignment', value: { ref: { runId: run.id } } });
    expect(await list()).toMatchObject({ data: [], local: { running: 1 } });
    expect(fixture.roster.hasKeyVariable('LOCAL_KEY')).toBe(true);
    session.ended();
    await expect(fixture.fleet.service.renewCertificate(peer, { csrDer: new Uint8Array() } as never)).rejects
      .toMatchObject({ status: 'failed_precondition' });
  });
});

describe('the upkeep', () => {
  it('forgets what has expired long ago', async () => {
    await start();
    await fixture.ship('build-01');
    await fixture.token('build-02');
    // A round may be under way when the time elapses; the next one uses the new time.
    const emptied = (table: string) =>
      eventually(async () => {
        await fixture.timer.elapse();
        return (await fixture.sql.all(`SELECT * FROM ${table}`)).length === 0;
      });
    fixture.now += 2 * DAY_MS;
    await emptied('join_tokens');
    expect(await fixture.sql.all('SELECT * FROM ship_certs')).toHaveLength(1);
    fixture.now += 60 * DAY_MS;
    await emptied('ship_certs');
  });
});
