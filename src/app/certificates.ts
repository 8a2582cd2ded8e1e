import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../lib/config-error.ts';
import type { Log } from '../lib/log.ts';
import type { Timer } from '../lib/timer.ts';
import { tlsOptions, type TlsMaterial, type TlsSource } from '../lib/tls.ts';

/** How often the files are looked at. Reading them all is cheap, and sees what file watchers miss: links that are exchanged, network drives. */
const LOOK_MS = 10_000;

/** A file, and how the setting that names it is called in messages. */
export interface NamedFile {
  readonly setting: string;
  readonly file: string;
}

export interface CertificateFiles {
  readonly cert: NamedFile;
  readonly key: NamedFile;
  /** Authority of the clients' certificates; switches mutual TLS on. */
  readonly clientCa?: NamedFile & { readonly clientAuth: 'require' | 'request' };
}

/** The certificates in use, which follow their files while the server runs. */
export class Certificates implements TlsSource {
  readonly #files: CertificateFiles;
  readonly #log: Log;
  readonly #listeners = new Set<(material: TlsMaterial) => void>();
  readonly #stopping = new AbortController();
  #current: TlsMaterial;
  /** What was last read, whether or not it could be used. */
  #seen: TlsMaterial;
  /** Why the last look failed, which is told once. */
  #failure = '';
  #reloading: Promise<void> = Promise.resolve();
  #following: Promise<void> | undefined;

  private constructor(files: CertificateFiles, log: Log, material: TlsMaterial) {
    this.#files = files;
    this.#log = log;
    this.#current = material;
    this.#seen = material;
  }

  /** Throws a `ConfigError` that names a file which cannot be read, or what is wrong with them together. */
  static async open(files: CertificateFiles, log: Log): Promise<Certificates> {
    const material = await readFiles(files);
    checkMaterial(material, files);
    return new Certificates(files, log, material);
  }

  get current(): TlsMaterial {
    return this.#current;
  }

  onChange(listener: (material: TlsMaterial) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Looks at the files now and then until it is stopped. */
  follow(timer: Timer): void {
    const { signal } = this.#stopping;
    const look = async (): Promise<void> => {
      for (;;) {
        await timer.sleep(LOOK_MS, signal);
        if (signal.aborted) return;
        await this.#enqueue('if changed');
      }
    };
    this.#following ??= look();
  }

  /** Takes what the files hold now, for connections that begin from now on. Files that cannot be used change nothing. Never rejects. */
  reload(): Promise<void> {
    return this.#enqueue('in any case');
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  #enqueue(when: 'if changed' | 'in any case'): Promise<void> {
    return (this.#reloading = this.#reloading.then(() => this.#reload(when)));
  }

  async #reload(when: 'if changed' | 'in any case'): Promise<void> {
    try {
      const material = await readFiles(this.#files);
      const isKnown = areEqual(material, this.#seen);
      this.#seen = material;
      if (areEqual(material, this.#current)) this.#failure = '';
      else if (!isKnown || when === 'in any case') this.#use(material);
    } catch (error) {
      // Also while they are being written: the next look finds them whole.
      const { message } = error as Error;
      if (message !== this.#failure || when === 'in any case') this.#log.error({ err: error }, 'the new certificates cannot be used; the former ones stay');
      this.#failure = message;
    }
  }

  #use(material: TlsMaterial): void {
    checkMaterial(material, this.#files);
    this.#current = material;
    this.#failure = '';
    for (const listener of this.#listeners) listener(material);
    this.#log.info({ validTo: new X509Certificate(material.cert).validTo }, 'certificates were replaced');
  }
}

function areEqual(a: TlsMaterial, b: TlsMaterial): boolean {
  const same = (one: Buffer | undefined, other: Buffer | undefined): boolean => one === other || (one !== undefined && other !== undefined && one.equals(other));
  return same(a.cert, b.cert) && same(a.key, b.key) && same(a.clientCa, b.clientCa);
}

async function readFiles({ cert, key, clientCa }: CertificateFiles): Promise<TlsMaterial> {
  return {
    cert: await read(cert),
    key: await read(key),
    ...(clientCa !== undefined && { clientCa: await read(clientCa), clientAuth: clientCa.clientAuth }),
  };
}

async function read({ setting, file }: NamedFile): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new ConfigError([`${setting}: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`]);
  }
}

/** Throws what is wrong with each file, or with the key for the certificate. The servers themselves would find it only as clients connect. */
function checkMaterial(material: TlsMaterial, files: CertificateFiles): void {
  const { cert, clientCa } = material;
  const problems = [
    ...problemOf(files.cert, () => new X509Certificate(cert)),
    ...(clientCa === undefined ? [] : problemOf(files.clientCa!, () => new X509Certificate(clientCa))),
  ];
  if (problems.length === 0) problems.push(...problemOf(files.key, () => createSecureContext(tlsOptions(material))));
  if (problems.length > 0) throw new ConfigError(problems);
}

function problemOf({ setting }: NamedFile, check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    return [`${setting}: cannot be used: ${(error as Error).message}`];
  }
}
