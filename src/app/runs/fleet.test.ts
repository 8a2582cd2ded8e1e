import { create } from '@bufbuild/protobuf';
import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Outcome, ShipInfoSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { systemClock, systemTimer } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { directClients } from '../../lib/slow-bodies.ts';
import { parseRunsConfig } from '../../runs/config/index.ts';
import { RemoteLink } from '../../ship/grpc/index.ts';
import { joinFleet, readJoinToken } from '../../ship/identity/index.ts';
import { createDiskSpools, createShip, type Executor, systemShipTime } from '../../ship/index.ts';
import { eventually, FleetFixture } from '../../testkit/runs-fleet.ts';
import { FleetAddresses, startFleet } from './fleet.ts';

const addressesOf = (fleet: string): FleetAddresses => new FleetAddresses(parseRunsConfig(`fleet: {${fleet}}`));

describe('where ships reach the server', () => {
  it('is the advertised host with the ports of the listeners', () => {
    const named = addressesOf('advertise: ships.example.org');
    expect([named.fleet(), named.enrol()]).toEqual(['ships.example.org:11031', 'ships.example.org:11032']);
    named.listening({ fleet: 1, enrol: 2 });
    expect([named.fleet(), named.enrol()]).toEqual(['ships.example.org:1', 'ships.example.org:2']);
    expect(addressesOf('advertise: "2001:db8::1"').fleet()).toBe('[2001:db8::1]:11031');
    expect(addressesOf('advertise: "[2001:db8::1]"').fleet()).toBe('[2001:db8::1]:11031');
    expect(addressesOf('').fleet()).toMatch(/^[^:]+:11031$/);
  });

  it('is a host without a port, over TCP', () => {
    for (const wrong of ['advertise: "ships.example.org:11031"', 'advertise: "300.1.1.1"', 'advertise: "-"',
      'listen: "unix:/tmp/x"'])
    {
      expect(() => addressesOf(wrong), wrong).toThrow(
        expect.objectContaining({ name: expect.stringContaining('ConfigError') }),
      );
    }
  });

  it("is in the server's certificate under every name", () => {
    const hosts = addressesOf('advertise: ships.example.org, listen: "192.0.2.7:11031", enrol_listen: "0.0.0.0:11032"')
      .hosts();
    expect(hosts).toEqual(expect.arrayContaining(['ships.example.org', 'localhost', '127.0.0.1', '::1', '192.0.2.7']));
    expect(new Set(hosts).size).toBe(hosts.length);
  });
});

describe('the fleet with a real ship', () => {
  let fixture: FleetFixture;

  afterEach(() => fixture.stop());

  const enrolment = () => {
    const [host, port] = fixture.addresses.enrol().split(':');
    return { host: host!, port: Number(port) };
  };
  const info = (name: string) =>
    create(ShipInfoSchema, {
      name,
      version: '1.0.0',
      protocol: 1,
      os: 'linux',
      arch: 'amd64',
      kinds: ['pipeline'],
      capacity: 2,
    });
  const join = async (name: string, token: string) =>
    joinFleet({ ...enrolment(), token: readJoinToken(token)!, info: info(name), now: () => Date.now() });

  it('lets it join, do its runs and leave', async () => {
    fixture = await FleetFixture.start();
    const { shipId, labels, fleetAddress, certificate, key, roots } = await join('build-01',
      await fixture.token('build-01', ['gpu=a100']));
    expect(labels).toEqual(['os=linux', 'arch=amd64', 'ship=build-01', 'gpu=a100']);
    const [host, port] = fleetAddress.split(':');
    const link = new RemoteLink({
      address: { host: host!, port: Number(port) },
      credentials: { certificate, key, roots },
      provesRevocation: () => false,
      onTrustBundle: (bundle) => expect(bundle).toHaveLength(1),
    });
    const executor: Executor = {
      kinds: ['pipeline'],
      refuses: () => undefined,
      async execute(_assignment, output) {
        for (let n = 0; n < 3; n++)
          await output.write({ unixMs: Date.now(), level: 'info', stream: 'stdout', step: null, message: `line ${n}` });
        return { outcome: Outcome.SUCCEEDED };
      },
    };
    const ship = createShip({
      link,
      executor,
      time: systemShipTime,
      log: silentLog,
      spools: createDiskSpools(`${fixture.folder}/spool`),
      description: {
        name: 'build-01',
        version: '1.0.0',
        os: 'linux',
        arch: 'amd64',
        keyVariables: [],
        capacity: 2,
        ephemeral: false,
      },
    });
    const ended = ship.run();
    const runs = await Promise.all(Array.from({ length: 5 }, () => fixture.submit({ runsOn: ['gpu=a100'] })));
    await eventually(async () =>
      (await Promise.all(runs.map(({ id }) => fixture.queue.get(id)))).every((run) =>
        run!.state === 'succeeded' && run!.attempt === 1 && run!.shipId === shipId
      )
    );
    expect((await fixture.lines(runs[4]!.id)).filter((line) => line.startsWith('line'))).toEqual(['line 0', 'line 1',
      'line 2']);
    ship.drain({ exit: true });
    await ended;
    await link.leave('the test is over');
    link.close();
    expect((await fixture.handle('listShips', {})).data).toEqual([]);
  });

  it('does not send the token to another server than that of the token (scenario 21)', async () => {
    fixture = await FleetFixture.start();
    const other = await FleetFixture.start({ direct: true });
    const token = await other.token('build-01');
    let asked = 0;
    (fixture.fleet.service as { join: unknown }).join = () => {
      asked += 1;
      return Promise.reject(new Error('nobody should come here'));
    };
    await expect(join('build-01', token)).rejects.toThrow('The token was not sent');
    expect(asked).toBe(0);
    await other.stop();
  });

  it('does not start if one of its addresses cannot be opened, and leaves none of them open', async () => {
    fixture = await FleetFixture.start({ direct: true });
    const blocker = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => blocker.once('listening', resolve));
    const { port } = blocker.address() as { port: number };
    const options = {
      service: fixture.fleet.service,
      authority: fixture.authority!,
      clock: systemClock,
      timer: systemTimer,
      log: silentLog,
      clients: directClients(0),
      messageMs: 60_000,
    };
    const addresses = addressesOf(`listen: "127.0.0.1:0", enrol_listen: "127.0.0.1:${port}", advertise: localhost`);
    await expect(startFleet({ ...options, addresses })).rejects.toThrow(`127.0.0.1:${port} is already in use`);
    await new Promise((resolve) => blocker.close(resolve));
    const running = await startFleet({ ...options, addresses });
    expect(addresses.enrol()).toBe(`localhost:${port}`);
    await running.stop(0);
    await running.stop(0);
  });

  it('stops in time although somebody holds a connection open and never begins to speak', async () => {
    fixture = await FleetFixture.start();
    const [host, port] = fixture.addresses.fleet().split(':');
    const socket = connect(Number(port), host);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('connect', resolve));
    await fixture.listeners!.stop(10);
    socket.destroy();
    await closed;
  });
});
