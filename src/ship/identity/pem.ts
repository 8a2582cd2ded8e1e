import { X509Certificate } from 'node:crypto';

/** A certificate as PEM. Throws if the bytes are not a certificate. */
export const certificatePem = (der: Uint8Array): string => new X509Certificate(der).toString();

/** Several certificates, one after another. */
export const certificatesPem = (ders: readonly Uint8Array[]): string => ders.map(certificatePem).join('');

/** When a certificate expires, in milliseconds since 1970. */
export const certificateEndsMs = (pem: string): number => new X509Certificate(pem).validToDate.getTime();
