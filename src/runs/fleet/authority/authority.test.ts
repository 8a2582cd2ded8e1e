import { createHash, X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../lib/log.ts';
import { makeRequest } from '../../../testkit/runs-fleet.ts';
import { Authority } from './authority.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SHIP = 'a'.repeat(32);

let folder = '';
let now = 0;

beforeEach(async () => {
  now = Date.parse('2026-01-01T00:00:00Z');
  folder = join(await mkdtemp(join(tmpdir(), 'quire-authority-')), 'deep', 'ca');
});
afterEach(() => rm(join(folder, '..', '..'), { recursive: true }));

const open = (ttl: { caTtlMs?: number; serverTtlMs?: number; shipTtlMs?: number } = {}): Promise<Authority> =>
  Authority.open({
    folder,
    trustDomain: 'quire.internal',
    caTtlMs: 3650 * DAY,
    serverTtlMs: 90 * DAY,
    shipTtlMs: 30 * DAY,
    clock: { now: () => now },
    log: silentLog,
    ...ttl,
  });

const certificateOf = (der: Uint8Array): X509Certificate => new X509Certificate(der);

describe('the certificate authority (decisions, section 4)', () => {
  it('is made at the first start in files that only its owner can read, and found again', async () => {
    const first = await open();
    const files = await readdir(folder);
    expect(files).toEqual(['authority.pem']);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, files[0]!))).mode & 0o777).toBe(0o600);
    const again = await open();
    expect(again.fingerprint).toEqual(first.fingerprint);
    expect(again.bundle()).toEqual(first.bundle());
    expect(createHash('sha256').update(again.bundle()[0]!).digest()).toEqual(again.fingerprint);
  });

  it('is one, whichever of several servers starts first', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => open()));
    expect(new Set(all.map(({ fingerprint }) => fingerprint.toString('hex'))).size).toBe(1);
    expect(await readdir(folder)).toEqual(['authority.pem']);
  });

  it('takes the rights of others away from its key', async () => {
    await open();
    await chmod(join(folder, 'authority.pem'), 0o644);
    await open();
    expect((await stat(join(folder, 'authority.pem'))).mode & 0o777).toBe(0o600);
  });

  it('refuses a file that is damaged, naming it, and leaves it as it is', async () => {
    const file = join(folder, 'authority.pem');
    await open();
    const [sound, other] = [await readFile(file, 'utf8'), folder];
    folder = join(other, 'second');
    await open();
    const foreignKey = (await readFile(join(folder, 'authority.pem'), 'utf8')).split('\n').slice(-8).join('\n');
    folder = other;
    const certificate = sound.slice(0, sound.indexOf('-----BEGIN PRIVATE'));
    for (const damaged of ['', certificate, sound.slice(0, -60),
      certificate + foreignKey.slice(foreignKey.indexOf('-----BEGIN PRIVATE'))])
    {
      await writeFile(file, damaged);
      await expect(open()).rejects.toThrow(file);
      expect(await readFile(file, 'utf8')).toBe(damaged);
    }
  });

  it(
    'issues ships certificates for clients, with the id as common name and in the SPIFFE name, from 5 minutes ' +
      'before now',
    async () => {
      const authority = await open();
      const { der, keys } = await makeRequest();
      const { der: issued, serial, expiresMs, renewAfterMs } = await authority.signShip(SHIP, der, () => 0.5);
      const certificate = certificateOf(issued);
      expect(certificate.subject).toBe(`CN=${SHIP}`);
      expect(certificate.subjectAltName).toBe(`URI:spiffe://quire.internal/ship/${SHIP}`);
      expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
      expect(certificate.ca).toBe(false);
      expect(certificate.serialNumber).toBe(serial);
      expect(Date.parse(certificate.validFrom)).toBe(now - 300_000);
      expect(Date.parse(certificate.validTo)).toBe(expiresMs);
      expect(expiresMs).toBe(now + 30 * DAY);
      expect(renewAfterMs).toBe(15 * DAY);
      const root = certificateOf(authority.bundle()[0]!);
      expect(certificate.verify(root.publicKey)).toBe(true);
      expect(certificate.checkIssued(root)).toBe(true);
      const { subtle } = globalThis.crypto;
      expect(certificate.publicKey.export({ type: 'spki', format: 'der' })).toEqual(
        Buffer.from(await subtle.exportKey('spki', keys.publicKey)),
      );
    },
  );

  it('names no ship as a request wishes, and renews not all ships at once', async () => {
    const authority = await open();
    const { der } = await makeRequest();
    const renewals = await Promise.all(
      [0, 0.999].map(async (random) => (await authority.signShip(SHIP, der, () => random)).renewAfterMs),
    );
    expect(renewals[0]).toBe(13.5 * DAY);
    expect(renewals[1]! / DAY).toBeCloseTo(16.5, 1);
    expect(certificateOf((await authority.signShip(SHIP, der)).der).subject).not.toContain('whoever');
  });

  it('refuses what is no request, a forged one, and keys of another kind', async () => {
    const authority = await open();
    const { der } = await makeRequest();
    const forged = Uint8Array.from(der);
    forged[forged.length - 1]! ^= 1;
    const swapped = Buffer.from(der);
    const other = await makeRequest();
    // Another key with the signature of the first.
    const [own, foreign] = await Promise.all(
      [der, other.der].map(async (request) => Buffer.from(request).subarray(findKey(request), findKey(request) + 65)),
    );
    swapped.set(foreign!, Buffer.from(der).indexOf(own!));
    for (const bad of [new Uint8Array(), Buffer.from('hello'), forged, swapped, der.slice(0, 100), new Uint8Array(9000),
      Buffer.concat([der, der.slice(0, 1)]).subarray(1)])
    {
      await expect(authority.signShip(SHIP, bad)).rejects.toMatchObject({ status: 'invalid_argument' });
    }
    for (const key of [await rsaRequest(), await curveRequest('P-384')])
      await expect(authority.signShip(SHIP, key)).rejects.toMatchObject({ status: 'invalid_argument' });
  });

  it('issues servers certificates for all their hosts, names and addresses, with the root behind it', async () => {
    const authority = await open();
    const material = await authority.serverMaterial(['ships.example.org', 'localhost', '127.0.0.1', '::1']);
    const [leaf, root] = material.certificates.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)!.map(
      (text) => new X509Certificate(text)
    );
    expect(leaf!.checkHost('ships.example.org')).toBe('ships.example.org');
    expect(leaf!.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(leaf!.checkIP('::1')).toBeDefined();
    expect(leaf!.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(leaf!.checkIssued(root!)).toBe(true);
    expect(createHash('sha256').update(root!.raw).digest()).toEqual(authority.fingerprint);
    expect(material.expiresMs).toBe(now + 90 * DAY);
  });

  it('vouches for nothing longer than it lives itself', async () => {
    const authority = await open({ caTtlMs: 2 * DAY });
    const { der } = await makeRequest();
    expect((await authority.signShip(SHIP, der)).expiresMs).toBe(now + 2 * DAY);
    expect((await authority.serverMaterial(['localhost'])).expiresMs).toBe(now + 2 * DAY);
  });
});

describe('a root that grows old', () => {
  const TTL = { caTtlMs: 365 * DAY, shipTtlMs: 30 * DAY };

  it("is announced, takes over, and the old one is dropped, each a certificate's life after the other", async () => {
    const authority = await open(TTL);
    const old = authority.fingerprint.toString('hex');
    const seen: { day: number; roots: number; signs: string }[] = [];
    const { der } = await makeRequest();
    for (let day = 0; day <= 366; day++) {
      if (await authority.review() || day === 0) {
        const signs = authority.fingerprint.toString('hex') === old ? 'old' : 'new';
        seen.push({ day, roots: authority.bundle().length, signs });
        const issued = certificateOf((await authority.signShip(SHIP, der)).der);
        expect(authority.bundle().some((root) => issued.checkIssued(certificateOf(root)))).toBe(true);
      }
      now += DAY;
    }
    expect(seen).toEqual([{ day: 0, roots: 1, signs: 'old' }, { day: 276, roots: 2, signs: 'old' }, {
      day: 306,
      roots: 2,
      signs: 'new',
    }, { day: 365, roots: 1, signs: 'new' }]);
  });

  it('is changed once by all servers that share its folder', async () => {
    const [one, other] = [await open(TTL), await open(TTL)];
    for (const jump of [280, 30, 60]) {
      now += jump * DAY;
      await Promise.all([one.review(), other.review()]);
      await one.review();
      await other.review();
      expect(other.fingerprint).toEqual(one.fingerprint);
      expect(other.bundle()).toEqual(one.bundle());
    }
    expect(await readdir(folder)).toEqual(['authority-previous.pem', 'authority.pem']);
  });

  it('is replaced when it has expired while no server ran', async () => {
    const old = (await open(TTL)).fingerprint;
    now += 400 * DAY;
    const authority = await open(TTL);
    expect(authority.fingerprint).not.toEqual(old);
    expect(authority.bundle()).toHaveLength(1);
    expect(authority.expiresMs).toBe(now + 365 * DAY);
  });
});

/** Start of the point of the public key: 04 and 64 bytes after the name of the curve. */
function findKey(request: Uint8Array): number {
  return Buffer.from(request).indexOf(Buffer.from('034200', 'hex')) + 3;
}

async function rsaRequest(): Promise<Uint8Array> {
  return requestOf({
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  });
}

async function curveRequest(namedCurve: string): Promise<Uint8Array> {
  return requestOf({ name: 'ECDSA', namedCurve, hash: 'SHA-256' });
}

async function requestOf(algorithm: { name: string; hash: string } & Record<string, unknown>): Promise<Uint8Array> {
  const { Pkcs10CertificateRequestGenerator } = await import('@peculiar/x509');
  const keys = await globalThis.crypto.subtle.generateKey(algorithm as never, true, ['sign',
    'verify']) as unknown as CryptoKeyPair;
  return new Uint8Array(
    (await Pkcs10CertificateRequestGenerator.create({ name: 'CN=x', keys, signingAlgorithm: algorithm })).rawData,
  );
}
