import { ServiceError } from '../errors/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { AccessWatches } from './access-watch.ts';
import { authorize, enforceAccessMode, enforceOrigin } from './authorize.ts';
import { type AccessMode, type Caller, EVERYONE, type Guard, type Identity, type Protocol } from './caller.ts';
import type { OperationSpec } from './spec.ts';

/** What the rights of all calls of a service depend on. */
export interface RightsOptions {
  readonly mode: (protocol: Protocol) => AccessMode;
  /** The reason why writes are currently refused in every mode; undefined if they are not. */
  readonly readOnlyReason?: (() => string | undefined) | undefined;
  /** If absent, every caller may do everything. */
  readonly guard?: Guard | undefined;
  /**
   * Applies what other processes have changed until now. Whoever calls `invoke` has done so; it is repeated after a
   * wait. Absent if no other process changes anything.
   */
  readonly refresh?: (() => Promise<void>) | undefined;
  readonly clock: Clock;
}

/** A permission that depends on what is stored; throws if the caller does not have it. */
type Fence = (input: object, identity: Identity) => Promise<void> | void;

/**
 * How long what other processes have changed is taken for known, in milliseconds, while the call does not wait for its
 * client.
 */
const FRESH_MS = 100;

/**
 * The right of one call to its operation. It is decided when the work is done, not when the request began: a client can
 * send a body for hours, and an import goes on for as long. While nothing has changed since the last decision, asking
 * again costs a few comparisons.
 */
export class CallRights {
  readonly #options: RightsOptions;
  readonly #spec: OperationSpec;
  readonly #caller: Caller;
  #identity: Identity = EVERYONE;
  #version: unknown;
  #expiresAt: number | undefined;
  #freshAt = 0;
  #input: object = {};
  #fence: Fence | undefined;
  /** Whether the identity is allowed to make the call, as far as is known. */
  #isAllowed = false;

  constructor(options: RightsOptions, spec: OperationSpec, caller: Caller) {
    this.#options = options;
    this.#spec = spec;
    this.#caller = caller;
  }

  /** The caller, as of the last decision. */
  get identity(): Identity {
    return this.#identity;
  }

  /** Whether the caller is known as of now. False also if other processes have to be asked first. */
  get isCurrent(): boolean {
    return this.#isUnchanged && (this.#options.refresh === undefined || performance.now() - this.#freshAt < FRESH_MS);
  }

  /** Whether nothing has changed in this process, and the credential has not expired. */
  get #isUnchanged(): boolean {
    const { guard, clock } = this.#options;
    if (guard === undefined || this.#spec.access === 'public') return true;
    return guard.version !== undefined && guard.version() === this.#version &&
      (this.#expiresAt === undefined || this.#expiresAt > clock.now());
  }

  /** The first decision; throws if the caller may not make the call at all. */
  async identify(): Promise<Identity> {
    if (this.#options.refresh !== undefined) this.#freshAt = performance.now();
    return this.#identify(undefined);
  }

  /** The call has waited for its client, so other processes may have changed anything meanwhile. */
  doubt(): void {
    this.#freshAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Identifies the caller again if anything has changed. Throws `unauthenticated` if it is not the same user any more.
   */
  async renew(): Promise<void> {
    if (this.isCurrent) return;
    const { refresh } = this.#options;
    if (refresh !== undefined) {
      const asked = performance.now();
      await refresh();
      this.#freshAt = asked;
      if (this.isCurrent) return;
    }
    await this.#caller.confirmTrust?.();
    await this.#identify(this.#identity);
  }

  /**
   * Decides whether the caller may make the call with this input; `require` repeats that decision. At once where
   * nothing has to be asked, so that a read begins in the turn of the event loop that it waited for.
   */
  decide(input: object, fence: Fence | undefined): Promise<unknown> | undefined {
    this.#input = input;
    this.#fence = fence;
    if (fence !== undefined || !this.isCurrent) return this.require();
    authorize(this.#spec, this.#identity, input);
    this.#isAllowed = true;
    return undefined;
  }

  /** Whether the call is allowed, and nothing has changed since that was decided. */
  get isAllowed(): boolean {
    return this.#isAllowed && this.isCurrent;
  }

  /** The same, as far as this process knows: at the beginning of a transaction it knows what others have changed. */
  get isAllowedHere(): boolean {
    return this.#isAllowed && this.#isUnchanged;
  }

  /**
   * Resolves with when the credential expires (Unix milliseconds; undefined for never). Rejects if the caller could not
   * make the call again.
   */
  async require(): Promise<number | undefined> {
    if (!this.isAllowed) {
      await this.renew();
      const identity = this.#identity;
      authorize(this.#spec, identity, this.#input);
      await this.#fence?.(this.#input, identity);
      // Another check may have identified the caller again meanwhile.
      if (identity !== this.#identity) return this.require();
      this.#isAllowed = true;
    }
    return this.#identity.expiresAt;
  }

  async #identify(before: Identity | undefined): Promise<Identity> {
    const { guard, mode, readOnlyReason, clock } = this.#options;
    enforceOrigin(this.#caller, this.#spec);
    enforceAccessMode(mode(this.#caller.protocol), this.#spec.effect, readOnlyReason?.());
    if (guard === undefined) return EVERYONE;
    // Read before: what changes while the caller is identified is a reason to ask again.
    const version = guard.version?.();
    const identity = await guard.identify(this.#spec, this.#caller);
    // A name that was deleted and registered again is another user.
    if (before !== undefined && identity.account !== before.account)
      throw new ServiceError('unauthenticated', 'invalid token');
    this.#version = version;
    this.#identity = identity;
    // The guard alone decides whether a credential has expired; what it admits must not be asked about forever.
    this.#expiresAt = identity.expiresAt !== undefined && identity.expiresAt > clock.now()
      ? identity.expiresAt
      : undefined;
    this.#isAllowed = false;
    return identity;
  }
}

/**
 * A call without a time limit: it ends with the permission of its caller, while it works and while its file is sent.
 */
export class LongCall {
  readonly #watches: AccessWatches;
  readonly #rights: CallRights;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;

  constructor(watches: AccessWatches, rights: CallRights, client: AbortSignal | undefined) {
    this.#watches = watches;
    this.#rights = rights;
    this.#signal = client === undefined ? this.#ended.signal : AbortSignal.any([client, this.#ended.signal]);
  }

  /**
   * The signal of the work aborts when the client has gone or the permission has ended; then the reason is the error.
   */
  async during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const release = this.#watch();
    try {
      return await work(this.#signal);
    } finally {
      release();
    }
  }

  /** The pieces of the call's file, for which the same signal holds. */
  async *pieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const release = this.#watch();
    try {
      yield* piecesWhileAllowed(content, this.#rights);
    } finally {
      release();
    }
  }

  #watch(): () => void {
    const { signal, release } = this.#watches.follow(() => this.#rights.require());
    signal.addEventListener('abort', () => this.#ended.abort(signal.reason), { once: true });
    return release;
  }
}

/**
 * A file that is produced while it is sent may outlast the caller's permission, so the permission is checked before
 * each piece.
 */
export async function* piecesWhileAllowed(content: AsyncIterable<Uint8Array>,
  rights: CallRights): AsyncGenerator<Uint8Array>
{
  for await (const piece of content) {
    if (!rights.isAllowed) await rights.require();
    yield piece;
  }
}
