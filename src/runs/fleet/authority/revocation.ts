import { create, toBinary } from '@bufbuild/protobuf';
import { KeyObject, sign, type webcrypto } from 'node:crypto';
import { RevocationSchema } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Signer } from './certificates.ts';

/**
 * The proof that a ship is revoked, a `Revocation` of the protocol. It can be made only with the key of the authority.
 */
export function signRevocation({ key }: Signer, shipId: string): Uint8Array {
  const statement = Buffer.from(`quire.fleet.v1.Revocation\n${shipId}`);
  const signature = sign('sha256', statement, {
    key: KeyObject.from(key as webcrypto.CryptoKey),
    dsaEncoding: 'ieee-p1363',
  });
  return toBinary(RevocationSchema, create(RevocationSchema, { shipId, signature: new Uint8Array(signature) }));
}
