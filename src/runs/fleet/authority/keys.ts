import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { createPrivateKey, createPublicKey, randomBytes, webcrypto } from 'node:crypto';

/** Keys of the fleet: of the authority, of servers and of ships. */
export const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** The library's types describe browsers, which know fewer key usages than Node. */
export async function makeKeys(): Promise<CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']) as CryptoKeyPair;
}

export async function toPem(key: CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key as webcrypto.CryptoKey), 'PRIVATE KEY');
}

/** A private key for signing. Throws if the text is not a key, or a key of another kind. */
export async function readKey(pem: string): Promise<CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return await webcrypto.subtle.importKey('pkcs8', der, KEY_ALGORITHM, true, ['sign']) as CryptoKey;
}

/** Whether a certificate belongs to this private key. */
export function belongTogether(certificate: x509.X509Certificate, keyPem: string): boolean {
  const own = createPublicKey(createPrivateKey(keyPem)).export({ type: 'spki', format: 'der' });
  return own.equals(Buffer.from(certificate.publicKey.rawData));
}

/** 16 random bytes, positive, with an even number of digits: the form in which TLS libraries show it, in upper case. */
export function newSerial(): string {
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 0x10;
  return serial.toString('hex').toUpperCase();
}
