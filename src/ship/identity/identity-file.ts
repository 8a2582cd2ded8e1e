import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { durableRename, makeFolder } from '../../lib/files.ts';

/** Why a ship cannot join or run; the message is for people and says what to do. */
export class ShipFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ShipFailure';
  }
}

/**
 * Locks a data folder for this process, because two processes with one identity would disconnect each other for ever.
 * The lock is one of the operating system, taken through SQLite: it is released when the process ends, however that
 * happens. Throws if another process has it.
 */
export function lockFolder(folder: string): { release(): void } {
  const path = join(folder, 'lock');
  const database = new DatabaseSync(path);
  try {
    database.exec(
      'PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE',
    );
  } catch (error) {
    database.close();
    throw new ShipFailure(`${folder} is in use: another \`quire ship run\` works there`, { cause: error });
  }
  return { release: () => database.close() };
}

/** A certificate as PEM. Throws if the bytes are not a certificate. */
export const certificatePem = (der: Uint8Array): string => new X509Certificate(der).toString();

/** Several certificates, one after another. */
export const certificatesPem = (ders: readonly Uint8Array[]): string => ders.map(certificatePem).join('');

/** When a certificate expires, in milliseconds since 1970. */
export const certificateEndsMs = (pem: string): number => new X509Certificate(pem).validToDate.getTime();

/** A new private key, and the request for its certificate. */
interface SigningRequest {
  /** PKCS #8, PEM. */
  readonly key: string;
  /** PKCS #10, DER. */
  readonly csrDer: Uint8Array;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Creates an ECDSA P-256 key. The name is for people: the server uses only the public key. */
export async function makeSigningRequest(name: string): Promise<SigningRequest> {
  // Loaded only here, because it is large and needed only when a ship joins or renews.
  await import('reflect-metadata');
  const { PemConverter, Pkcs10CertificateRequestGenerator } = await import('@peculiar/x509');
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as CryptoKeyPair;
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: ALGORITHM,
  });
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { key: `${key}\n`, csrDer: new Uint8Array(request.rawData) };
}

/** The stored membership of a ship. The private key never leaves the machine. */
export interface Identity {
  readonly version: 1;
  /** 32 hexadecimal characters. */
  readonly shipId: string;
  readonly name: string;
  readonly labels: readonly string[];
  /** host:port of the Fleet service. */
  readonly fleetAddress: string;
  /** PEM. */
  readonly certificate: string;
  /** PKCS #8, PEM. */
  readonly key: string;
  /** Trusted roots, PEM. */
  readonly roots: string;
  /** When to renew the certificate, in milliseconds since 1970. */
  readonly renewAtMs: number;
  readonly capacity: number;
  readonly ephemeral: boolean;
}

const TEXTS = ['shipId', 'name', 'fleetAddress', 'certificate', 'key', 'roots'] as const;

/**
 * The identity of a ship as one file of its data folder, so that key and certificate change together; readable only by
 * its owner.
 */
export class IdentityFile {
  readonly path: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'identity.json');
  }

  /** Undefined if there is none. Throws if the file is not a valid identity. */
  async read(): Promise<Identity | undefined> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    return parse(text, this.path);
  }

  /** Replaces it; after a crash the file is the old or the new one. */
  async write(identity: Identity): Promise<void> {
    await this.prepare();
    const part = `${this.path}.part`;
    // An existing file keeps its mode, whatever mode is passed.
    await rm(part, { force: true });
    await writeFile(part, `${JSON.stringify(identity, undefined, 2)}\n`, { mode: 0o600 });
    await durableRename(part, this.path);
  }

  /** Creates the folder, and closes it to other users. Rejects if it cannot be written. */
  async prepare(): Promise<void> {
    makeFolder(this.#folder, 0o700);
    await chmod(this.#folder, 0o700);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

function parse(text: string, path: string): Identity {
  try {
    const identity = JSON.parse(text) as Identity;
    const isSound = identity.version === 1 && TEXTS.every((field) => typeof identity[field] === 'string') &&
      Number.isFinite(identity.renewAtMs) && Number.isInteger(identity.capacity);
    if (isSound && new X509Certificate(identity.roots).ca &&
      new X509Certificate(identity.certificate).checkPrivateKey(createPrivateKey(identity.key))) return identity;
  } catch {
    // Invalid JSON, certificate and key are handled alike.
  }
  throw new Error(`${path} is not a ship's identity: remove it and join again`, { cause: 'damaged' });
}
