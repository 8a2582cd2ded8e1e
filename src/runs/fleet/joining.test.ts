import { create } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { Fleet as FleetProtocol, type ShipInfo,
  ShipInfoSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { DAY_MS, fingerprintOf, FleetFixture, type FleetFixtureOptions, makeRequest, pem,
  TestShip } from '../../testkit/runs-fleet.ts';

let fixture: FleetFixture;

afterEach(() => fixture.stop());

const start = async (
  options: FleetFixtureOptions = {},
): Promise<FleetFixture> => (fixture = await FleetFixture.start(options));

function visitor(name = 'build-01', info: object = {}): TestShip {
  const ship = new TestShip(fixture.addresses, name, info);
  fixture.ships.push(ship);
  return ship;
}

describe('joining the fleet (decisions, section 4, "Joining")', () => {
  it('returns a certificate for the key of the request, the roots, the address and the labels', async () => {
    await start();
    const ship = await fixture.ship('build-01', ['gpu=a100', 'gpu=h100']);
    const { shipId, certificateDer, trustBundleDer, fleetAddress, renewAfterMs, labels } = ship.joined;
    expect(shipId).toMatch(/^[0-9a-f]{32}$/);
    expect(new X509Certificate(certificateDer).subject).toBe(`CN=${shipId}`);
    expect(trustBundleDer).toHaveLength(1);
    expect(fleetAddress).toBe(fixture.addresses.fleet());
    expect(fleetAddress).toMatch(/^127\.0\.0\.1:\d{2,}$/);
    expect(Number(renewAfterMs) / DAY_MS).toBeGreaterThanOrEqual(13.4);
    expect(labels).toEqual(['os=linux', 'arch=amd64', 'ship=build-01', 'gpu=a100', 'gpu=h100']);
    const stream = ship.connect();
    stream.hello();
    expect((await stream.next('welcome')).serverVersion).toBe('1.2.3');
  });

  it(
    'pins the root that the server shows in the token, so that a ship knows the server before it sends the token ' +
      '(scenario 21)',
    async () => {
      await start();
      const token = await fixture.token('build-01');
      const [, pinned, id, secret] = /^qj1\.([\w-]{43})\.([0-9a-f]{32})\.([\w-]{43})$/.exec(token)!;
      expect(id).toBeDefined();
      expect(secret).toBeDefined();
      expect(pinned).toBe(fingerprintOf(fixture.authority!.bundle()[0]!));
      // It trusts only that root, and checks the server's name.
      const { shipId } = await visitor().join(token, { roots: pem(fixture.authority!.bundle()[0]!) });
      expect(shipId).toHaveLength(32);
      const foreign = await FleetFixture.start({ direct: true });
      await expect(visitor('other').join(await fixture.token('other'), { roots: pem(foreign.authority!.bundle()[0]!) }))
        .rejects.toMatchObject({ code: status.UNAVAILABLE });
      await foreign.stop();
    },
  );

  it('happens once for each token: of two ships one joins, the other is denied (scenario 20)', async () => {
    await start();
    const token = await fixture.token('build-01');
    const outcomes = await Promise.allSettled([visitor().join(token), visitor().join(token), visitor().join(token)]);
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'joined' : outcome.reason.code)).sort()).toEqual(
      [status.PERMISSION_DENIED, status.PERMISSION_DENIED, 'joined'].sort(),
    );
    await expect(visitor().join(token)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    expect((await fixture.handle('listShips', {})).data).toHaveLength(1);
  });

  it('is denied with a token that has expired, is unknown, or is altered anywhere', async () => {
    await start({ fleet: '  join_token_ttl: 10m' });
    const token = await fixture.token('build-01');
    for (const position of [5, 60, token.length - 2]) {
      const altered = `${token.slice(0, position)}${token[position] === 'a' ? 'b' : 'a'}${token.slice(position + 1)}`;
      await expect(visitor().join(altered)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    }
    for (const other of ['', 'qj1', token.slice(0, -1), `${token}A`])
      await expect(visitor().join(other)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    fixture.now += 600_000;
    await expect(visitor().join(token)).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
      details: 'the join token has expired; create another one',
    });
  });

  it('is refused for a forged request, and the token stays good', async () => {
    await start();
    const token = await fixture.token('build-01');
    const { der } = await makeRequest();
    der[der.length - 3]! ^= 0x40;
    await expect(visitor().join(token, { der })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    await expect(visitor().join(token, { der: new Uint8Array() })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    await visitor().join(token);
  });

  it('is refused for a ship that says what no ship would, with the field', async () => {
    await start();
    const token = await fixture.token('build-01');
    const sound = visitor().info;
    const refused: [Partial<ShipInfo>, number, RegExp][] = [[{ name: 'build-02' }, status.INVALID_ARGUMENT,
      /^info\.name/], [{ os: 'linux=evil' }, status.INVALID_ARGUMENT, /^info\.os/], [{ arch: '' },
      status.INVALID_ARGUMENT, /^info\.arch/], [{ capacity: 0 }, status.INVALID_ARGUMENT, /^info\.capacity/], [{
      capacity: 100_000,
    }, status.INVALID_ARGUMENT, /^info\.capacity/], [{ kinds: ['shell'] }, status.INVALID_ARGUMENT, /^info\.kinds/], [{
      roles: ['A B'],
    }, status.INVALID_ARGUMENT, /^info\.roles/], [{ protocol: 2 }, status.FAILED_PRECONDITION, /protocol/]];
    for (const [change, code, message] of refused) {
      // Spread over more than a minute, because only ten joins of an address may fail per minute.
      fixture.now += 30_000;
      const info = create(ShipInfoSchema, { ...sound, ...change });
      await expect(visitor().join(token, { info })).rejects.toMatchObject({
        code,
        details: expect.stringMatching(message),
      });
    }
    await visitor().join(token);
  });

  it('is refused for a ship that is too old, with the oldest version', async () => {
    await start({ fleet: '  min_ship_version: 1.4.0' });
    const token = await fixture.token('build-01');
    await expect(visitor('build-01', { version: '1.3.9' }).join(token)).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: 'this server takes ships from version 1.4.0, got 1.3.9',
    });
    await visitor('build-01', { version: '1.4.0' }).join(token);
  });

  it('is refused for a minute to an address after ten failures, also when they come at once', async () => {
    await start();
    const token = await fixture.token('build-01');
    const codes = (await Promise.allSettled(Array.from({ length: 30 }, () => visitor().join('qj1')))).map((outcome) =>
      (outcome as PromiseRejectedResult).reason.code as number
    );
    expect(codes.filter((code) => code === status.PERMISSION_DENIED)).toHaveLength(10);
    expect(codes.filter((code) => code === status.RESOURCE_EXHAUSTED)).toHaveLength(20);
    await expect(visitor().join(token)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    fixture.now += 60_000;
    await visitor().join(token);
  });

  it('is not limited while it succeeds', async () => {
    await start();
    for (let n = 0; n < 12; n++) await fixture.ship(`ship-${n}`);
    expect((await fixture.handle('listShips', {})).data.map(({ name }) => name)).toEqual(
      Array.from({ length: 12 }, (_, n) => `ship-${n}`),
    );
  });

  it('keeps nothing of a token but its hash', async () => {
    await start();
    const token = await fixture.token('build-01');
    const secret = token.split('.').at(-1)!;
    const rows = [...await fixture.sql.all('SELECT * FROM join_tokens'),
      ...await fixture.sql.all('SELECT * FROM audit')];
    expect(rows.length).toBeGreaterThan(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(fixture.logged.join()).not.toContain(secret);
  });
});

describe('certificates', () => {
  it('are renewed over the connection of the old one, which stays good until it expires', async () => {
    await start({ behindMs: 16 * DAY_MS });
    const { ship, stream } = await fixture.connected('build-01');
    const old = ship.identity;
    fixture.now += 15 * DAY_MS;
    const { keys, der } = await makeRequest();
    const renewed = await ship.call(FleetProtocol.method.renewCertificate, { csrDer: der });
    const { toPem } = await import('./authority/certificates.ts');
    expect(new X509Certificate(renewed.certificateDer).subject).toBe(`CN=${ship.id}`);
    // Both certificates are valid.
    const ref = { runId: '0'.repeat(32), attempt: 1, fencingToken: 1n } as never;
    expect((await ship.append(ref, 0, [])).status).toBe(4);
    ship.identity = {
      key: await toPem(keys.privateKey),
      certificate: pem(renewed.certificateDer),
      roots: renewed.trustBundleDer.map(pem).join('\n'),
    };
    expect((await ship.append(ref, 0, [])).status).toBe(4);
    const { data } = await fixture.handle('listShips', {});
    expect(data[0]!.cert_expires_at).toBe(Math.floor(fixture.now / 1000) + 30 * 86_400);
    // The old one has expired by the server's clock, though its connection is open.
    fixture.now += 15 * DAY_MS + 1000;
    expect((await ship.append(ref, 0, [])).status).toBe(4);
    ship.identity = old;
    await expect(ship.append(ref, 0, [])).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    stream.heartbeat([], 1);
    expect(await stream.ended).toMatchObject({ code: status.UNAVAILABLE, details: expect.stringContaining('expired') });
  });

  it('are not signed for a forged request, nor without end', async () => {
    await start();
    const { ship } = await fixture.connected('build-01');
    const { der } = await makeRequest();
    await expect(ship.call(FleetProtocol.method.renewCertificate, { csrDer: der.slice(1) })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, () => ship.call(FleetProtocol.method.renewCertificate, { csrDer: der })),
    );
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(31);
  });

  it('of another authority, of this one but never issued to a ship, and none at all open nothing', async () => {
    await start();
    const ship = await fixture.ship('build-01');
    const sound = ship.identity;
    const ref = { runId: '0'.repeat(32), attempt: 1, fencingToken: 1n } as never;
    const { keys, der } = await makeRequest();
    const { toPem } = await import('./authority/certificates.ts');
    const key = await toPem(keys.privateKey);
    const unknown = await fixture.authority!.signShip(ship.id, der);
    ship.identity = { ...sound, key, certificate: pem(unknown.der) };
    await expect(ship.append(ref, 0, [])).rejects.toMatchObject({ code: status.NOT_FOUND });
    const stream = ship.connect();
    expect(await stream.ended).toMatchObject({ code: status.NOT_FOUND });
    const other = await FleetFixture.start({ direct: true });
    const foreign = await other.authority!.signShip(ship.id, der);
    ship.identity = { ...sound, key, certificate: pem(foreign.der) };
    await expect(ship.append(ref, 0, [])).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await other.stop();
    // The server's own certificate is for servers.
    const server = await fixture.authority!.serverMaterial(['127.0.0.1']);
    ship.identity = { ...sound, key: server.key, certificate: server.certificates };
    await expect(ship.append(ref, 0, [])).rejects.toBeDefined();
    ship.identity = sound;
    expect((await ship.append(ref, 0, [])).status).toBe(4);
  });

  it('of the server is replaced while it runs: open connections stay, new ones see the new one', async () => {
    await start({ fleet: '  server_cert_ttl: 48h', behindMs: 30 * 3_600_000 });
    const { ship, stream } = await fixture.connected('build-01');
    const before = fixture.listeners!.serverExpiresMs();
    await fixture.listeners!.review();
    expect(fixture.listeners!.serverExpiresMs()).toBe(before);
    fixture.now += 24 * 3_600_000;
    await fixture.listeners!.review();
    expect(fixture.listeners!.serverExpiresMs()).toBe(before + 24 * 3_600_000);
    stream.heartbeat([], 4);
    expect((await stream.next('ack')).seq).toBe(1n);
    const { connect } = await import('node:tls');
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect({
      port: Number(fixture.addresses.enrol().split(':')[1]),
      host: '127.0.0.1',
      servername: 'localhost',
      ca: pem(fixture.authority!.bundle()[0]!),
      ALPNProtocols: ['h2'],
    }, () => resolve(socket.getPeerCertificate().valid_to));
    expect(Date.parse(await promise)).toBe(fixture.listeners!.serverExpiresMs());
    socket.destroy();
    const again = await fixture.connected('build-02');
    expect(again.ship.id).not.toBe(ship.id);
  });

  it('of a restarted server are of the same authority, and ships go on', async () => {
    await start();
    const ship = await fixture.ship('build-01');
    const [identity, id] = [ship.identity, ship.id];
    await fixture.stop({ keepFolder: true });
    await start({ folder: fixture.folder });
    const again = new TestShip(fixture.addresses, 'build-01');
    fixture.ships.push(again);
    again.identity = identity;
    const stream = again.connect();
    stream.hello();
    await stream.next('welcome');
    expect((await fixture.handle('listShips', {})).data).toMatchObject([{ id, name: 'build-01', online: true }]);
  });
});
