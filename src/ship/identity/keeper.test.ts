import { create } from '@bufbuild/protobuf';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RenewResponseSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { silentLog } from '../../lib/log.ts';
import { type Authority, makeAuthority } from '../../testkit/certificates.ts';
import { VirtualTime } from '../../testkit/ship/index.ts';
import { type Identity, IdentityFile, IdentityKeeper } from './index.ts';

const DAY_MS = 24 * 3_600_000;

let authority: Authority;
let other: Authority;
let folder: string;
let time: VirtualTime;
let file: IdentityFile;
/** The start time of the virtual clock. */
let began: number;

beforeAll(async () => {
  [authority, other] = [await makeAuthority(), await makeAuthority()];
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-keeper-'));
  time = new VirtualTime();
  file = new IdentityFile(join(folder, 'data'));
  began = Date.now();
});
afterEach(() => rmSync(folder, { recursive: true }));

const der = (pem: string): Uint8Array => new Uint8Array(new X509Certificate(pem).raw);

async function keeping(renew: () => Promise<void> = async () => {}, renewInMs = 60_000) {
  const { cert, key } = await authority.issue('client');
  const identity: Identity = {
    version: 1,
    shipId: '0'.repeat(32),
    name: 'one',
    labels: [],
    fleetAddress: 'localhost:1',
    certificate: cert,
    key,
    roots: new X509Certificate(authority.cert).toString(),
    renewAtMs: began + renewInMs,
    capacity: 1,
    ephemeral: false,
  };
  await file.write(identity);
  const replaced: Identity[] = [];
  const attempts: number[] = [];
  const keeper = new IdentityKeeper({
    file,
    identity,
    log: silentLog,
    time: { clock: { now: () => began + time.now() }, monotonic: () => time.now(), timer: time, random: () => 0 },
    link: {
      async renew() {
        attempts.push(time.now());
        await renew();
        return create(RenewResponseSchema, {
          certificateDer: der((await authority.issue('client')).cert),
          trustBundleDer: [der(authority.cert)],
          renewAfterMs: 120_000n,
        });
      },
      replace: (credentials) => replaced.push(credentials as Identity),
    },
  });
  return { keeper, identity, replaced, attempts };
}

const stored = (): Identity => JSON.parse(readFileSync(file.path, 'utf8')) as Identity;

/** Keys are made outside virtual time. */
async function eventually(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await time.pass(0);
}

describe('the identity of a ship', () => {
  it('is renewed when the server said, with a new key; stored, and used from then on', async () => {
    const { keeper, identity, replaced, attempts } = await keeping();
    const over = new AbortController();
    const kept = keeper.keep(over.signal);
    await time.pass(59_000);
    expect(attempts).toEqual([]);
    await time.pass(2000);
    await eventually(() => replaced.length === 1);
    await eventually(() => stored().key !== identity.key);
    expect(stored()).toEqual(keeper.identity);
    expect(keeper.identity.certificate).not.toBe(identity.certificate);
    expect(keeper.identity.renewAtMs).toBe(began + time.now() + 120_000);
    over.abort();
    expect(await kept).toBe(true);
  });

  it('is tried again, less and less often, while that fails, until it has expired', async () => {
    const { keeper, attempts } = await keeping(() => Promise.reject(new Error('UNAVAILABLE')), DAY_MS - 600_000);
    const kept = keeper.keep(new AbortController().signal);
    let expired = false;
    void kept.then((isFresh) => (expired = !isFresh));
    await time.pass(DAY_MS - 601_000);
    expect(attempts).toEqual([]);
    while (!expired) {
      const before = attempts.length;
      // No pause is longer.
      await time.pass(30_000);
      await eventually(() => attempts.length > before || expired);
    }
    expect(attempts.length).toBeGreaterThan(15);
    expect(attempts.length).toBeLessThan(30);
  });

  it('follows the roots that the server names, and survives nonsense', async () => {
    const { keeper, identity, replaced } = await keeping();
    keeper.trust([der(authority.cert)]);
    keeper.trust([]);
    keeper.trust([new Uint8Array([1, 2, 3])]);
    expect(replaced).toEqual([]);
    keeper.trust([der(other.cert), der(authority.cert)]);
    expect(replaced).toHaveLength(1);
    await eventually(() => stored().roots !== identity.roots);
    expect(stored().roots.match(/BEGIN/g)).toHaveLength(2);
  });

  it('that is damaged is not used', async () => {
    const { identity } = await keeping();
    const { key } = await authority.issue('client');
    for (const bad of [{}, { ...identity, version: 2 }, { ...identity, key: 7 }, { ...identity, key }, {
      ...identity,
      certificate: 'none',
    }]) {
      await file.write(bad as Identity);
      await expect(file.read()).rejects.toThrow(/identity\.json is not a ship's identity/);
    }
  });
});
