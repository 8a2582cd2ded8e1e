import type { TlsOptions } from 'node:tls';

/** Certificates and keys, as PEM. */
export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Authority of the clients' certificates; switches mutual TLS on. */
  readonly clientCa?: Buffer;
  /** Whether clients must show a good certificate, or may also do without one (`request`). Default `require`. */
  readonly clientAuth?: 'require' | 'request';
}

/** Certificates that may be replaced while they are in use. */
export interface TlsSource {
  readonly current: TlsMaterial;
  /** Calls the listener with each that follows, until what is answered is called. */
  onChange(listener: (material: TlsMaterial) => void): () => void;
}

/** Certificates that stay. */
export function fixedTls(current: TlsMaterial): TlsSource {
  return { current, onChange: () => () => undefined };
}

/** The same as Node's servers take it. What a client shows after `request` opens nothing, so it is not checked. */
export function tlsOptions({ cert, key, clientCa, clientAuth = 'require' }: TlsMaterial): TlsOptions {
  return {
    cert, key, minVersion: 'TLSv1.2',
    ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: clientAuth === 'require' }),
  };
}
