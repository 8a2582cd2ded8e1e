import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors/index.ts';

/** The credentials of a caller of RPCs between nodes. */
export interface PeerProof {
  /** Metadata `x-svc-replication-secret`. */
  readonly secret?: string;
  /** The connection has presented a certificate that the server's authority has issued. */
  readonly hasCertificate: boolean;
  /**
   * Whether the credential of the call belongs to an administrator; called only if no other credential admits the
   * caller.
   */
  readonly isAdmin: () => Promise<boolean>;
}

/**
 * Throws `forbidden` for a caller that is not a node of this system (decision 4.11). The secret is compared in constant
 * time.
 */
export async function admit(proof: PeerProof, secret: string): Promise<void> {
  if (proof.hasCertificate) return;
  if (secret !== '' && proof.secret !== undefined && isSameSecret(proof.secret, secret)) return;
  if (await proof.isAdmin()) return;
  throw new ServiceError('forbidden',
    'replication needs the shared secret in x-svc-replication-secret, a client certificate, or an administrator');
}

/** In constant time: it compares digests, which have the same length for every input. */
export function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
