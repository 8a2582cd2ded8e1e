import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { isIP } from 'node:net';
import { FleetRefusal } from '../port.ts';
import { KEY_ALGORITHM, makeKeys, newSerial, toPem } from './keys.ts';

/** Clocks differ, so certificates are valid from a little earlier. */
const BACKDATE_MS = 5 * 60_000;

/** A request for a certificate has a few hundred bytes. */
const MAX_REQUEST_BYTES = 8192;

/** A certificate that signs others, with its key. */
export interface Signer {
  readonly certificate: x509.X509Certificate;
  readonly key: CryptoKey;
}

interface Lifetime {
  readonly nowMs: number;
  readonly ttlMs: number;
}

/** Creates a self-signed root; returns certificate and private key as PEM, in this order. */
export async function makeRoot(name: string, lifetime: Lifetime): Promise<string> {
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...dated(lifetime),
    serialNumber: newSerial(),
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: KEY_ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)],
  });
  return `${certificate.toString('pem')}\n${await toPem(keys.privateKey)}\n`;
}

/** Creates a key and a server certificate for these hosts, names or IP addresses. */
export async function issueServer(signer: Signer, hosts: readonly string[],
  lifetime: Lifetime): Promise<{ certificate: x509.X509Certificate; key: string }>
{
  const keys = await makeKeys();
  const names = hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' as const : 'ip' as const, value }));
  const certificate = await issue(signer, 'quire fleet server', keys.publicKey, lifetime, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(names),
  ]);
  return { certificate, key: await toPem(keys.privateKey) };
}

/** A ship's certificate: `CN=<ship id>` and its SPIFFE id, for clients only. */
export function issueShip(signer: Signer, ship: { id: string; trustDomain: string }, publicKey: x509.PublicKey,
  lifetime: Lifetime): Promise<x509.X509Certificate>
{
  return issue(signer, ship.id, publicKey, lifetime, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
    new x509.SubjectAlternativeNameExtension([{ type: 'url', value: `spiffe://${ship.trustDomain}/ship/${ship.id}` }]),
  ]);
}

async function issue({ certificate, key }: Signer, commonName: string, publicKey: x509.PublicKeyType,
  lifetime: Lifetime, extensions: x509.Extension[]): Promise<x509.X509Certificate>
{
  const { notBefore, notAfter } = dated(lifetime);
  return x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: [{ CN: [commonName] }],
    issuer: certificate.subjectName,
    // No certificate is valid for longer than its issuer.
    notBefore,
    notAfter: notAfter < certificate.notAfter ? notAfter : certificate.notAfter,
    publicKey,
    signingKey: key,
    signingAlgorithm: KEY_ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true), ...extensions,
      await x509.AuthorityKeyIdentifierExtension.create(certificate.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(publicKey)],
  });
}

/** Whole seconds, the precision of certificates. */
function dated({ nowMs, ttlMs }: Lifetime): { notBefore: Date; notAfter: Date } {
  const second = Math.floor(nowMs / 1000) * 1000;
  return { notBefore: new Date(second - BACKDATE_MS), notAfter: new Date(second + ttlMs) };
}

/**
 * The public key of a PKCS #10 request; nothing else of the request is used. Refuses invalid requests, requests that
 * are not signed by their own key, and keys that are not ECDSA P-256.
 */
export async function keyOfRequest(der: Uint8Array): Promise<x509.PublicKey> {
  if (der.length === 0 || der.length > MAX_REQUEST_BYTES)
    throw new FleetRefusal('invalid_argument', `csr_der must have 1 to ${MAX_REQUEST_BYTES} bytes`);
  try {
    const request = new x509.Pkcs10CertificateRequest(Uint8Array.from(der));
    const { name, namedCurve } = request.publicKey.algorithm as { name: string; namedCurve?: string };
    if (name === 'ECDSA' && namedCurve === 'P-256' && await request.verify()) return request.publicKey;
  } catch {
    // Whatever error the parser throws, the text is not a request.
  }
  throw new FleetRefusal('invalid_argument',
    'csr_der must be a certificate request of an ECDSA P-256 key, signed by that key');
}
