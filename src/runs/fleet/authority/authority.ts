import type * as x509 from '@peculiar/x509';
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { issueServer, issueShip, keyOfRequest, makeRoot, type Signer, signRevocation } from './certificates.ts';
import { AuthorityFiles } from './files.ts';

interface AuthorityOptions {
  readonly folder: string;
  /** Domain of the identities in ships' certificates. */
  readonly trustDomain: string;
  readonly caTtlMs: number;
  readonly serverTtlMs: number;
  readonly shipTtlMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Key and certificates of a TLS server of the fleet, as PEM. */
export interface ServerMaterial {
  /**
   * The server's certificate and the root that signed it: joining ships compare that root with the one that their token
   * names.
   */
  readonly certificates: string;
  readonly key: string;
  /** Roots of ships' certificates. */
  readonly roots: string;
  readonly expiresMs: number;
}

export interface ShipCertificate {
  readonly der: Uint8Array;
  /** Upper-case hexadecimal, the form of TLS libraries. */
  readonly serial: string;
  readonly expiresMs: number;
  readonly renewAfterMs: number;
}

/**
 * The fleet's certificate authority: a root, created at the first start, that signs the certificates of servers and
 * ships.
 *
 * Before a root expires, another one replaces it in two steps, each as long as a ship's certificate is valid, so that
 * every ship renews in between. First the next root is announced in the trust bundle; then it signs, and the old one is
 * trusted until it expires.
 */
export class Authority {
  readonly #options: AuthorityOptions;
  readonly #files: AuthorityFiles;
  #signer: Signer;
  #roots: readonly x509.X509Certificate[];

  private constructor(options: AuthorityOptions, files: AuthorityFiles, { signer, roots }: Roots) {
    this.#options = options;
    this.#files = files;
    this.#signer = signer;
    this.#roots = roots;
  }

  /** Throws an error with a readable reason if the folder cannot be used. */
  static async open(options: AuthorityOptions): Promise<Authority> {
    const files = new AuthorityFiles(options.folder);
    return new Authority(options, files, await bringUpToDate(files, options));
  }

  /** SHA-256 of the root that signs servers; join tokens pin it. */
  get fingerprint(): Buffer {
    return createHash('sha256').update(new Uint8Array(this.#signer.certificate.rawData)).digest();
  }

  /** Trusted roots, DER each; the one that signs is first. */
  bundle(): Uint8Array[] {
    return this.#roots.map(({ rawData }) => new Uint8Array(rawData));
  }

  /** When the signing root expires. */
  get expiresMs(): number {
    return this.#signer.certificate.notAfter.getTime();
  }

  /** Does the work that is due. Returns true if the roots have changed and servers need new certificates. */
  async review(): Promise<boolean> {
    const before = this.#roots.map(({ serialNumber }) => serialNumber).join();
    const { signer, roots } = await bringUpToDate(this.#files, this.#options);
    this.#signer = signer;
    this.#roots = roots;
    return before !== roots.map(({ serialNumber }) => serialNumber).join();
  }

  /** Creates a key and a certificate for a server that is reachable under these hosts. */
  async serverMaterial(hosts: readonly string[]): Promise<ServerMaterial> {
    const signer = this.#signer;
    const { certificate, key } = await issueServer(signer, hosts, {
      nowMs: this.#options.clock.now(),
      ttlMs: this.#options.serverTtlMs,
    });
    return {
      certificates: `${certificate.toString('pem')}\n${signer.certificate.toString('pem')}\n`,
      key,
      roots: this.#roots.map((root) => root.toString('pem')).join('\n'),
      expiresMs: certificate.notAfter.getTime(),
    };
  }

  /** The proof for a ship that it is revoked. */
  revocation(shipId: string): Uint8Array {
    return signRevocation(this.#signer, shipId);
  }

  /** Signs the key of a ship's request. Refuses an invalid request. */
  async signShip(id: string, request: Uint8Array, random: () => number = Math.random): Promise<ShipCertificate> {
    const { clock, shipTtlMs, trustDomain } = this.#options;
    const nowMs = clock.now();
    const certificate = await issueShip(this.#signer, { id, trustDomain }, await keyOfRequest(request), {
      nowMs,
      ttlMs: shipTtlMs,
    });
    const expiresMs = certificate.notAfter.getTime();
    return {
      der: new Uint8Array(certificate.rawData),
      serial: certificate.serialNumber.toUpperCase(),
      expiresMs,
      // At half of its lifetime, varied so that the ships do not renew all at once.
      renewAfterMs: Math.max(0, Math.round((expiresMs - nowMs) / 2 * (0.9 + 0.2 * random()))),
    };
  }
}

interface Roots {
  readonly signer: Signer;
  readonly roots: readonly x509.X509Certificate[];
}

/** Creates, announces and promotes roots when their age requires it, and returns the current state. */
async function bringUpToDate(files: AuthorityFiles, options: AuthorityOptions): Promise<Roots> {
  const { log, clock, caTtlMs } = options;
  const nowMs = clock.now();
  // Each step takes as long as a ship's certificate is valid, if the root is valid for long enough.
  const step = Math.min(options.shipTtlMs, caTtlMs / 6);
  const left = ({ certificate }: Signer): number => certificate.notAfter.getTime() - nowMs;
  let stored = await files.read();
  if (stored.current !== undefined && stored.next === undefined && left(stored.current) <= 0) {
    log.warn({ expired: stored.current.certificate.notAfter },
      'the certificate authority of the fleet has expired; all ships have to join again');
    await files.drop();
    stored = await files.read();
  }
  if (stored.current === undefined && stored.next === undefined) {
    await files.add('current', await newRoot(options));
    log.info({ folder: options.folder }, 'made a certificate authority for the fleet');
    stored = await files.read();
  }
  if (stored.next === undefined && left(stored.current!) < 3 * step) {
    await files.add('next', await newRoot(options));
    log.info({ expires: stored.current!.certificate.notAfter },
      'announced the next certificate authority of the fleet');
    stored = await files.read();
  }
  if (stored.next !== undefined && (stored.current === undefined || left(stored.current) < 2 * step)) {
    await files.promote(stored);
    log.info({ folder: options.folder }, 'the next certificate authority of the fleet signs from now on');
    stored = await files.read();
  }
  const trusted = stored.previous.filter((root) => root.notAfter.getTime() > nowMs);
  if (trusted.length < stored.previous.length) await files.keepPrevious(trusted);
  const signer = stored.current!;
  return {
    signer,
    roots: [signer.certificate, ...(stored.next ? [stored.next.certificate] : []),
      ...trusted.filter(({ serialNumber }) => serialNumber !== signer.certificate.serialNumber)],
  };
}

/** The name is unique, so a certificate shows which root signed it. */
function newRoot({ trustDomain, caTtlMs, clock }: AuthorityOptions): Promise<string> {
  return makeRoot(`${trustDomain} fleet authority ${randomBytes(4).toString('hex')}`, {
    nowMs: clock.now(),
    ttlMs: caTtlMs,
  });
}
