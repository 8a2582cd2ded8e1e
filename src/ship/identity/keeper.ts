import { fromBinary } from '@bufbuild/protobuf';
import { verify, X509Certificate } from 'node:crypto';
import { RevocationSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Log } from '../../lib/log.ts';
import type { RemoteLink } from '../grpc/index.ts';
import { RetryPause, type ShipTime, sleepUntil } from '../time.ts';
import { certificateEndsMs, certificatePem, certificatesPem, type Identity, type IdentityFile,
  makeSigningRequest } from './identity-file.ts';

/**
 * Whether the bytes are a `Revocation` of this ship, signed by one of the roots that it trusts (PEM). A server that was
 * restored from a backup, or another server, has none, so it cannot make the ship delete its key.
 */
export function provesRevocation(bytes: Uint8Array, shipId: string, roots: string): boolean {
  try {
    const { shipId: revoked, signature } = fromBinary(RevocationSchema, bytes);
    const statement = Buffer.from(`quire.fleet.v1.Revocation\n${shipId}`);
    return revoked === shipId &&
      certificatesOf(roots).some(({ publicKey }) =>
        verify('sha256', statement, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
      );
  } catch {
    return false; // not a message, or a root with another kind of key
  }
}

function certificatesOf(roots: string): X509Certificate[] {
  return (roots.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((pem) =>
    new X509Certificate(pem)
  );
}

/** The time is checked at least this often, because a machine may have slept, or its clock may have been set. */
const LOOK_MS = 3_600_000;

interface KeeperOptions {
  readonly file: IdentityFile;
  readonly identity: Identity;
  readonly link: Pick<RemoteLink, 'renew' | 'replace'>;
  readonly time: ShipTime;
  readonly log: Log;
}

/**
 * Keeps a ship's identity up to date: renews its certificate before it expires, and stores the server's current roots.
 */
export class IdentityKeeper {
  readonly #options: KeeperOptions;
  #identity: Identity;
  /** Serialises writes. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#identity = options.identity;
  }

  get identity(): Identity {
    return this.#identity;
  }

  /** The server has sent its roots; an empty list means that it has sent none. */
  trust(ders: readonly Uint8Array[]): void {
    const { log } = this.#options;
    let roots: string;
    try {
      roots = certificatesPem(ders);
    } catch (err) {
      return log.error({ err }, 'the server named a certificate authority that cannot be read');
    }
    if (ders.length === 0 || roots === this.#identity.roots) return;
    log.info({ roots: ders.length }, 'the certificate authorities of the fleet have changed');
    void this.#change({ roots });
  }

  /** Renews until the signal aborts; returns false if the certificate has expired. */
  async keep(signal: AbortSignal): Promise<boolean> {
    const { time, log } = this.#options;
    const pause = new RetryPause(time.timer, time.random);
    while (!signal.aborted) {
      const left = this.#identity.renewAtMs - time.clock.now();
      if (left > 0) {
        await sleepUntil(time.timer, Math.min(left, LOOK_MS), signal);
        continue;
      }
      if (time.clock.now() >= certificateEndsMs(this.#identity.certificate)) return false;
      try {
        await this.#renew();
        pause.succeeded();
      } catch (err) {
        log.warn({ err, expires: new Date(certificateEndsMs(this.#identity.certificate)).toISOString() },
          'cannot renew the certificate now');
        await pause.afterFailure(signal);
      }
    }
    return true;
  }

  /** Resolves when no write is under way. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #renew(): Promise<void> {
    const { link, time, log } = this.#options;
    const { key, csrDer } = await makeSigningRequest(this.#identity.name);
    const answer = await link.renew(csrDer);
    const certificate = certificatePem(answer.certificateDer);
    await this.#change({
      key,
      certificate,
      renewAtMs: time.clock.now() + Number(answer.renewAfterMs),
      ...(answer.trustBundleDer.length > 0 && { roots: certificatesPem(answer.trustBundleDer) }),
    });
    log.info({ expires: new Date(certificateEndsMs(certificate)).toISOString() }, 'renewed the certificate');
  }

  /** An identity that cannot be stored is used nevertheless: the next renewal tries to store it again. */
  async #change(changes: Partial<Identity>): Promise<void> {
    const { file, link, log } = this.#options;
    this.#identity = { ...this.#identity, ...changes };
    link.replace(this.#identity);
    const identity = this.#identity;
    this.#writing = this.#writing.then(() => file.write(identity)).catch((err: unknown) =>
      log.error({ err, file: file.path }, "cannot store the ship's identity")
    );
    await this.#writing;
  }
}
