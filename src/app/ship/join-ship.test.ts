import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeAuthority } from '../../testkit/certificates.ts';
import { RunsServer } from '../../testkit/ship/runs-server.ts';
import { TcpProxy } from '../../testkit/ship/tcp-proxy.ts';
import { type JoinFlags, joinShip } from './join-ship.ts';

let serverFolder: string;
let server: RunsServer;
let folder: string;

beforeAll(async () => {
  serverFolder = mkdtempSync(join(tmpdir(), 'quire-join-server-'));
  server = await RunsServer.start({ folder: serverFolder });
});
afterAll(async () => {
  await server.service.stop();
  rmSync(serverFolder, { recursive: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-join-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

let count = 0;
const newName = (): string => `ship-${count++}`;

const joining = (flags: Partial<JoinFlags> & { name: string }, env: Record<string, string> = {}) =>
  joinShip({ server: server.service.fleet!.enrol, capacity: 2, dataDir: join(folder, 'data'), ...flags }, env);

describe('joining a fleet', () => {
  it('keeps the key in a file for its owner only', async () => {
    const name = newName();
    const identity = await joining({ name, token: await server.makeToken(name, ['zone=a']) });
    expect(identity).toMatchObject({
      name,
      labels: expect.arrayContaining(['zone=a', `ship=${name}`]),
      fleetAddress: server.service.fleet!.address,
      capacity: 2,
      ephemeral: false,
    });
    expect(identity.shipId).toMatch(/^[0-9a-f]{32}$/);
    const file = join(folder, 'data', 'identity.json');
    expect([statSync(join(folder, 'data')).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(identity);
    // The certificate belongs to this key, and is valid beyond its renewal.
    expect(identity.renewAtMs).toBeGreaterThan(Date.now());
  });

  it('takes the token from a file or the environment', async () => {
    const [one, two] = [newName(), newName()];
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, `${await server.makeToken(one)}\n`);
    expect(await joining({ name: one, tokenFile, dataDir: join(folder, '1') })).toMatchObject({ name: one });
    expect(await joining({ name: two, dataDir: join(folder, '2') }, { QUIRE_JOIN_TOKEN: await server.makeToken(two) }))
      .toMatchObject({ name: two });
  });

  it('works once with each token', async () => {
    const name = newName();
    const token = await server.makeToken(name);
    await joining({ name, token, dataDir: join(folder, '1') });
    await expect(joining({ name, token, dataDir: join(folder, '2') })).rejects.toThrow(
      /^the server refuses the token: .* Make a new one/,
    );
  });

  it('does not send the token to a server with another authority', async () => {
    const name = newName();
    const token = await server.makeToken(name);
    const [prefix, , ...rest] = token.split('.');
    const foreign = [prefix, 'A'.repeat(43), ...rest].join('.');
    await expect(joining({ name, token: foreign })).rejects.toThrow(
      /is not the one that the token is for.*The token was not sent/,
    );
    // So the identity is still valid.
    expect(await joining({ name, token })).toMatchObject({ name });
  });

  it('does not send the token to a server that shows the right authority without being of it', async () => {
    const name = newName();
    const token = await server.makeToken(name);
    const { host, port } = { host: '127.0.0.1', port: Number(server.service.fleet!.enrol.split(':')[1]) };
    const genuine = await genuineRoot(host, port);
    const other = await (await makeAuthority()).issue('server');
    let received = 0;
    const impostor = createServer({ cert: `${other.cert}\n${genuine}`, key: other.key, ALPNProtocols: ['h2'] },
      (socket) => {
        socket.on('error', () => undefined).on('data', (bytes) => (received += bytes.length));
      }).on('tlsClientError', () => undefined);
    impostor.listen(0, host);
    await once(impostor, 'listening');
    await expect(joining({ name, token, server: `${host}:${(impostor.address() as AddressInfo).port}` })).rejects
      .toThrow();
    expect(received).toBe(0);
    impostor.close();
    expect(await joining({ name, token })).toMatchObject({ name });
  });

  it('does not send the token to an address that the certificate is not for', async () => {
    const name = newName();
    const token = await server.makeToken(name);
    const proxy = await TcpProxy.start({ host: '127.0.0.1', port: Number(server.service.fleet!.enrol.split(':')[1]) },
      '127.0.0.2');
    await expect(joining({ name, token, server: `127.0.0.2:${proxy.port}` })).rejects.toThrow(
      /^the server's certificate is not for 127\.0\.0\.2: join by the name in fleet\.advertise/,
    );
    await proxy.close();
    expect(await joining({ name, token })).toMatchObject({ name });
  });

  it.each([[{ server: 'nowhere' }, /--server must be host:port, got nowhere/], [{ server: '127.0.0.1:1' },
    /cannot reach 127\.0\.0\.1:1: .*ECONNREFUSED.*Check --server/], [{ token: 'qj1.x' }, /the join token is damaged/], [
    { token: '' },
    /a join token is missing/,
  ], [{ tokenFile: '/no/such/file' }, /cannot read --token-file \/no\/such\/file/]])('says what is wrong with %j',
    async (flags, message) => {
      const token = `qj1.${'A'.repeat(43)}.${'0'.repeat(32)}.${'A'.repeat(43)}`;
      await expect(joining({ name: 'x', ...('tokenFile' in flags ? {} : { token }), ...flags })).rejects.toThrow(
        message,
      );
    });

  it('says which name the token is for', async () => {
    const name = newName();
    await expect(joining({ name: 'another', token: await server.makeToken(name) })).rejects.toThrow(
      new RegExp(`refuses this ship: .*${name}`),
    );
  });

  it('does not use up the token where the key cannot be stored', async () => {
    const name = newName();
    const token = await server.makeToken(name);
    writeFileSync(join(folder, 'file'), '');
    await expect(joining({ name, token, dataDir: join(folder, 'file', 'data') })).rejects.toThrow(
      /^cannot use the folder .*file\/data/,
    );
    expect(await joining({ name, token })).toMatchObject({ name });
  });

  it('does not replace the identity of a ship that serves', async () => {
    const name = newName();
    await joining({ name, token: await server.makeToken(name) });
    const other = newName();
    await expect(joining({ name: other, token: await server.makeToken(other) })).rejects.toThrow(
      `this machine is the ship ${name} already`,
    );
  });
});

/** Public information about the server: the certificate of its authority. */
async function genuineRoot(host: string, port: number): Promise<string> {
  const { connect } = await import('node:tls');
  const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const { raw } = socket.getPeerCertificate(true).issuerCertificate;
  socket.destroy();
  return `-----BEGIN CERTIFICATE-----\n${
    raw.toString('base64').replaceAll(/(.{64})/g, '$1\n')
  }\n-----END CERTIFICATE-----\n`;
}
