import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { durableRename, makeFolder } from '../../lib/files.ts';

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
