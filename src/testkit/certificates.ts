import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { randomBytes, webcrypto } from 'node:crypto';

// Certificates of a private authority, for tests of TLS.

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60_000;

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  readonly cert: string;
  /** A certificate for 127.0.0.1 and localhost for a server, or a client certificate. */
  issue(use: 'server' | 'client'): Promise<Certificate>;
}

export async function makeAuthority(): Promise<Authority> {
  const keys = await makeKeys();
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    ...dated(),
    name: 'CN=test authority',
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true)],
  });
  return {
    cert: cert.toString('pem'),
    async issue(use) {
      const own = await makeKeys();
      const issued = await x509.X509CertificateGenerator.create({
        ...dated(),
        subject: `CN=test ${use}`,
        issuer: cert.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new x509.ExtendedKeyUsageExtension([
            use === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth,
          ]),
          new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }, {
            type: 'dns',
            value: 'localhost',
          }]),
        ],
      });
      const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', own.privateKey), 'PRIVATE KEY');
      return { cert: issued.toString('pem'), key };
    },
  };
}

/** The library's types are those of browsers, which know fewer key usages than Node. */
async function makeKeys(): Promise<CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as CryptoKeyPair;
}

/** A positive serial number, and a validity from a day ago to a day ahead. */
function dated(): { serialNumber: string; notBefore: Date; notAfter: Date } {
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 1;
  return {
    serialNumber: serial.toString('hex'),
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
  };
}
