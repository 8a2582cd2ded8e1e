import { fromBinary } from '@bufbuild/protobuf';
import { verify, X509Certificate } from 'node:crypto';
import { RevocationSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';

/**
 * Whether the bytes are a `Revocation` of this ship, signed by one of the roots that it trusts (PEM). A server that was
 * restored from a backup, or another server, has none, so it cannot make the ship delete its key.
 */
export function provesRevocation(bytes: Uint8Array, shipId: string, roots: string): boolean {
  try {
    const { shipId: revoked, signature } = fromBinary(RevocationSchema, bytes);
    const statement = Buffer.from(`quire.fleet.v1.Revocation\n${shipId}`);
    return revoked === shipId &&
      certificatesOf(roots).some(({ publicKey }) =>
        verify('sha256', statement, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
      );
  } catch {
    return false; // not a message, or a root with another kind of key
  }
}

function certificatesOf(roots: string): X509Certificate[] {
  return (roots.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((pem) =>
    new X509Certificate(pem)
  );
}
