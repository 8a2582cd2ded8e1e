import type { TlsOptions } from 'node:tls';

/** Certificates and keys, as PEM. */
export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Certificate authority of the clients' certificates; enables mutual TLS. */
  readonly clientCa?: Buffer;
  /**
   * Whether clients must present a valid certificate, or may also connect without one (`request`). Default `require`.
   */
  readonly clientAuth?: 'require' | 'request';
}

/** Certificates that may be replaced while they are in use. */
export interface TlsSource {
  readonly current: TlsMaterial;
  /** Calls the listener with each later set of certificates, until the returned function is called. */
  onChange(listener: (material: TlsMaterial) => void): () => void;
}

/**
 * The same in the form that Node's servers accept. With `request`, a client's certificate grants nothing, so it is not
 * checked.
 */
export function tlsOptions({ cert, key, clientCa, clientAuth = 'require' }: TlsMaterial): TlsOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: clientAuth === 'require' }),
  };
}
