import 'reflect-metadata';
import { create, toBinary } from '@bufbuild/protobuf';
import * as x509 from '@peculiar/x509';
import { createPrivateKey, createPublicKey, KeyObject, randomBytes, sign, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { RevocationSchema } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { FleetRefusal } from '../port.ts';

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
function newSerial(): string {
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 0x10;
  return serial.toString('hex').toUpperCase();
}

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
