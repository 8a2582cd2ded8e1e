import { create, toBinary } from '@bufbuild/protobuf';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RevocationSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { Authority } from '../../runs/fleet/index.ts';
import { provesRevocation } from './index.ts';

const SHIP = '019b45a500007c3e9a41d2f0b6e85713';

let folder: string;
let own: Authority;
let foreign: Authority;

const open = (name: string): Promise<Authority> =>
  Authority.open({
    folder: join(folder, name),
    trustDomain: 'quire.test',
    caTtlMs: 3_600_000,
    serverTtlMs: 60_000,
    shipTtlMs: 60_000,
    clock: systemClock,
    log: silentLog,
  });
const rootsOf = (...authorities: Authority[]): string =>
  authorities.flatMap((authority) => authority.bundle()).map((der) => new X509Certificate(der).toString()).join('');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-revocation-'));
  [own, foreign] = [await open('own'), await open('foreign')];
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the proof that a ship is revoked', () => {
  it('is good when a root that the ship trusts has signed it', () => {
    expect(provesRevocation(own.revocation(SHIP), SHIP, rootsOf(own))).toBe(true);
    expect(provesRevocation(own.revocation(SHIP), SHIP, rootsOf(foreign, own))).toBe(true);
  });

  it('is none when it comes from another authority, is of another ship, is altered or is missing', () => {
    const proof = own.revocation(SHIP);
    const altered = Uint8Array.from(proof, (byte, index) => (index === proof.length - 1 ? byte ^ 1 : byte));
    const renamed = toBinary(RevocationSchema,
      create(RevocationSchema, { shipId: SHIP, signature: own.revocation('f'.repeat(32)).subarray(-64) }));
    for (const bytes of [foreign.revocation(SHIP), own.revocation('f'.repeat(32)), altered, renamed,
      proof.subarray(0, 40), new Uint8Array()])
    {
      expect(provesRevocation(bytes, SHIP, rootsOf(own))).toBe(false);
    }
  });
});
