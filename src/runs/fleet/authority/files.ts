import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { randomBytes } from 'node:crypto';
import { chmod, link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { durableRename, makeFolder, syncFolder } from '../../../lib/files.ts';
import { belongTogether, readKey, type Signer } from './certificates.ts';

/** The root that signs, the next root, and the former roots. */
const CURRENT = 'authority.pem';
const NEXT = 'authority-next.pem';
const PREVIOUS = 'authority-previous.pem';

/** The authority as stored in its folder. */
interface StoredAuthority {
  readonly current?: Signer;
  readonly next?: Signer;
  /** Certificates without keys, because these roots sign nothing any more. */
  readonly previous: readonly x509.X509Certificate[];
}

/**
 * The folder of the authority, accessible only to its owner. A root and its key are one file, which is created
 * atomically and only once: if two servers start on an empty folder, both use the root that was written first.
 */
export class AuthorityFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    makeFolder(folder, 0o700);
  }

  async read(): Promise<StoredAuthority> {
    const [current, next, previous] = [await this.#readSigner(CURRENT), await this.#readSigner(NEXT),
      await this.#readText(PREVIOUS)];
    return {
      current,
      next,
      previous: previous === undefined ? [] : certificatesOf(previous),
    };
  }

  /** Stores a new root unless there is one already. */
  add(which: 'current' | 'next', pem: string): Promise<void> {
    return this.#write(which === 'current' ? CURRENT : NEXT, pem, 'once');
  }

  /** Makes the next root the signing one. The former root stays trusted. */
  async promote({ current, previous }: StoredAuthority): Promise<void> {
    const trusted = [...previous, ...(current === undefined ? [] : [current.certificate])];
    await this.keepPrevious(trusted);
    try {
      await durableRename(join(this.#folder, NEXT), join(this.#folder, CURRENT));
    } catch (error) {
      // Another server has already done it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  async keepPrevious(certificates: readonly x509.X509Certificate[]): Promise<void> {
    const distinct = new Map(
      certificates.map((certificate) => [certificate.serialNumber, certificate.toString('pem')]),
    );
    await this.#write(PREVIOUS, `${[...distinct.values()].join('\n')}\n`, 'replace');
  }

  /** Removes an expired root, so that a new one can be created. */
  async drop(): Promise<void> {
    await rm(join(this.#folder, CURRENT), { force: true });
  }

  async #readSigner(name: string): Promise<Signer | undefined> {
    const text = await this.#readText(name);
    if (text === undefined) return undefined;
    const [certificate] = certificatesOf(text);
    const [key] = blocks(text, 'PRIVATE KEY');
    if (certificate === undefined || key === undefined)
      throw this.#broken(name, 'it lacks a certificate or its private key');
    try {
      if (belongTogether(certificate, key)) return { certificate, key: await readKey(key) };
    } catch (error) {
      throw this.#broken(name, (error as Error).message);
    }
    throw this.#broken(name, 'certificate and private key do not belong together');
  }

  #broken(name: string, reason: string): Error {
    return new Error(
      `the certificate authority ${
        join(this.#folder, name)
      } cannot be used: ${reason}; restore the file, or remove it, and all ships have to join again`,
    );
  }

  async #readText(name: string): Promise<string | undefined> {
    const file = join(this.#folder, name);
    try {
      if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600);
      return await readFile(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #write(name: string, text: string, how: 'once' | 'replace'): Promise<void> {
    const target = join(this.#folder, name);
    const draft = `${target}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await writeSynced(draft, text);
      if (how === 'replace') await rename(draft, target);
      else await linkOnce(draft, target);
      await syncFolder(this.#folder);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

async function linkOnce(draft: string, target: string): Promise<void> {
  try {
    await link(draft, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const certificatesOf = (text: string): x509.X509Certificate[] =>
  blocks(text, 'CERTIFICATE').map((pem) => new x509.X509Certificate(pem));

function blocks(text: string, kind: string): string[] {
  return text.match(new RegExp(`-----BEGIN ${kind}-----[^-]+-----END ${kind}-----`, 'g')) ?? [];
}
