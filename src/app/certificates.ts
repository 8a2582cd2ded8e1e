import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Timer } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Loop } from '../lib/loop.ts';
import { ConfigError } from '../lib/setting-values.ts';
import { type TlsMaterial, tlsOptions, type TlsSource } from '../lib/tls.ts';
import type { Settings } from './settings/index.ts';

/**
 * Milliseconds between two checks of the files. Reading all of them is cheap, and detects changes that file watchers
 * miss: replaced links, network drives.
 */
const LOOK_MS = 10_000;

/** A file, and the name of its setting for messages. */
interface NamedFile {
  readonly setting: string;
  readonly file: string;
}

interface CertificateFiles {
  readonly cert: NamedFile;
  readonly key: NamedFile;
  /** Authority of the clients' certificates; enables mutual TLS. */
  readonly clientCa?: NamedFile & { readonly clientAuth: 'require' | 'request' };
}

/** The certificates in use, which are reloaded when their files change. */
export class Certificates implements TlsSource {
  readonly #files: CertificateFiles;
  readonly #log: Log;
  readonly #listeners = new Set<(material: TlsMaterial) => void>();
  #current: TlsMaterial;
  /** What was read last, valid or not. */
  #seen: TlsMaterial;
  /** Why the last check failed; logged once. */
  #failure = '';
  #reloading: Promise<void> = Promise.resolve();
  #following: Loop | undefined;

  private constructor(files: CertificateFiles, log: Log, material: TlsMaterial) {
    this.#files = files;
    this.#log = log;
    this.#current = material;
    this.#seen = material;
  }

  /**
   * Throws a `ConfigError` that names a file that cannot be read, or describes what is wrong with the files together.
   */
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

  /** Checks the files periodically until it is stopped. */
  follow(timer: Timer): void {
    this.#following ??= new Loop({
      name: 'certificates',
      everyMs: LOOK_MS,
      waitsFirst: true,
      timer,
      log: this.#log,
      failure: 'the certificates could not be looked at',
    }, () => this.#enqueue('if changed'));
    this.#following.start();
  }

  /** Loads the current files for new connections. Invalid files change nothing. Never rejects. */
  reload(): Promise<void> {
    return this.#enqueue('in any case');
  }

  async stop(): Promise<void> {
    await this.#following?.stop();
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
      // This also happens while the files are being written; the next check finds them complete.
      const { message } = error as Error;
      if (message !== this.#failure || when === 'in any case')
        this.#log.error({ err: error }, 'the new certificates cannot be used; the former ones stay');
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
  const same = (one: Buffer | undefined, other: Buffer | undefined): boolean =>
    one === other || (one !== undefined && other !== undefined && one.equals(other));
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
    throw new ConfigError([
      `${setting}: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`,
    ]);
  }
}

/**
 * Throws what is wrong with each file, or that the key does not match the certificate. The servers themselves would
 * detect this only when clients connect.
 */
function checkMaterial(material: TlsMaterial, files: CertificateFiles): void {
  const { cert, clientCa } = material;
  const problems = [...problemOf(files.cert, () => new X509Certificate(cert)),
    ...(clientCa === undefined ? [] : problemOf(files.clientCa!, () => new X509Certificate(clientCa)))];
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

/** The certificates of the settings; undefined without TLS. Throws a `ConfigError`. */
export async function readCertificates({ tls }: Pick<Settings, 'tls'>, log: Log): Promise<Certificates | undefined> {
  const { enabled, cert, key, clientCa, clientAuth } = tls;
  if (!enabled) return undefined;
  return Certificates.open({
    cert: { setting: 'SVC_TLS_CERT', file: cert },
    key: { setting: 'SVC_TLS_KEY', file: key },
    ...(clientCa !== '' && { clientCa: { setting: 'SVC_TLS_CLIENT_CA', file: clientCa, clientAuth } }),
  }, log);
}
