import { ServerCredentials } from '@grpc/grpc-js';
import type { SecureContextOptions } from 'node:tls';

/** The certificates that a TLS server of the fleet presents and trusts, as PEM. */
export interface FleetTls {
  /** The server's certificate, and the root that signed it. */
  readonly certificates: string;
  readonly key: string;
  /** Roots of ships' certificates. */
  readonly roots: string;
}

/**
 * Credentials whose certificate is replaced while the server runs: open connections keep theirs, new ones use the new
 * one. The library offers this for certificates from files or a control plane; both are built on the functions used
 * here.
 */
export class ReplaceableCredentials extends ServerCredentials {
  readonly #clients: 'without' | 'with';

  /** `clients`: whether clients must present a certificate. */
  constructor(tls: FleetTls, clients: 'without' | 'with') {
    const asksFor = clients === 'with';
    super({ requestCert: asksFor, rejectUnauthorized: asksFor }, contextOf(tls, clients));
    this.#clients = clients;
  }

  replace(tls: FleetTls): void {
    this.updateSecureContextOptions(contextOf(tls, this.#clients));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

function contextOf({ certificates, key, roots }: FleetTls, clients: 'without' | 'with'): SecureContextOptions {
  return { cert: certificates, key, minVersion: 'TLSv1.2', ...(clients === 'with' && { ca: roots }) };
}
