import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../../errors/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { whenClosed } from '../../../lib/responses.ts';
import { clientNetwork } from '../../../lib/trusted-proxies.ts';
import type { AccessWatch } from '../../../operations/index.ts';
import { Refusal, SESSION_NOT_FOUND } from '../core/fault.ts';
import type { Identity } from './authenticator.ts';

/** The client that opens sessions and streams. */
export interface Party {
  /**
   * The only owner that may use its sessions: an MCP key or a user of the service; undefined without authentication.
   */
  readonly owner: string | undefined;
  /** The account whose share of the sessions is used: the owner's, or the address's. */
  readonly account: string;
  /** The credential, to distinguish a renewed one from the previous one; undefined for none. */
  readonly credential: string | undefined;
  /** Monitors the credential while a session or stream is open. */
  follow(): AccessWatch;
}

export function partyOf(identity: Identity & { readonly ok: true }, ip: string, credential: string | undefined,
  follow: () => AccessWatch): Party
{
  const owner = ownerOf(identity);
  return { owner, account: owner ?? `ip ${clientNetwork(ip)}`, credential, follow };
}

/**
 * The name under which the sessions of a key or a user are recorded as theirs: that of the key itself and of the user's
 * record, because names are used again.
 */
export function ownerOf({ owner, key, user }: Identity & { readonly ok: true }): string | undefined {
  if (owner !== undefined) return `key ${key ?? owner.name}`;
  return user === undefined ? undefined : `user ${user.account ?? user.username}`;
}

/** Ends a response without an end of its own when the credential of its request ends. `then`: when it is closed. */
export function endWith(party: Party, response: ServerResponse, then?: () => void): void {
  const { signal, release } = party.follow();
  signal.addEventListener('abort', () => void response.end(), { once: true });
  whenClosed(response, () => {
    release();
    then?.();
  });
}

/**
 * Limits of sessions: how many are open at once, how many of them one user, key or address may have,
 * and how many milliseconds an unused one lives.
 */
const MAX_SESSIONS = 1000;
const MAX_SESSIONS_OF_ONE = 100;
export const IDLE_MS = 30 * 60_000;

/** Milliseconds between two removals of expired sessions; a look-up never returns an expired one. */
const SWEEP_MS = 60_000;

export type SessionKind = 'sse' | 'streamable';

export interface SessionOptions {
  readonly kind: SessionKind;
  /** The client that opens the session; no other client can use it. */
  readonly party: Party;
  /** Releases the resources of the session; called once. */
  readonly close: () => Promise<void>;
}

/** One client's conversation. */
export class Session {
  readonly id: string;
  readonly kind: SessionKind;
  readonly owner: string | undefined;
  readonly account: string;
  readonly #close: () => Promise<void>;
  readonly #clock: Clock;
  #usedAt: number;
  #streams = 0;
  #pending = 0;
  #whenDone: (() => void)[] = [];
  #closed: Promise<void> | undefined;
  #accessWatch: { readonly credential: string | undefined; readonly release: () => void } | undefined;

  constructor(id: string, { kind, party, close }: SessionOptions, clock: Clock) {
    this.id = id;
    this.kind = kind;
    this.owner = party.owner;
    this.account = party.account;
    this.#close = close;
    this.#clock = clock;
    this.#usedAt = clock.now();
  }

  /** A request is in progress until the returned function is called. */
  begin(): () => void {
    this.#pending++;
    return this.#once(() => {
      if (--this.#pending === 0) { for (const done of this.#whenDone.splice(0)) done(); }
    });
  }

  /** A stream from server to client is open until the returned function is called. */
  hold(): () => void {
    this.#streams++;
    return this.#once(() => this.#streams--);
  }

  /** A session with a request in progress or an open stream does not expire. */
  isExpired(): boolean {
    return this.#pending === 0 && this.#streams === 0 && this.#clock.now() - this.#usedAt >= IDLE_MS;
  }

  /** Resolves when no request is in progress. */
  async idle(): Promise<void> {
    if (this.#pending > 0) await new Promise<void>((resolve) => this.#whenDone.push(resolve));
  }

  /** Calls `over` when the credential that was presented last has expired or been revoked. */
  keepFor(party: Party, over: () => void): void {
    if (this.#accessWatch !== undefined && this.#accessWatch.credential === party.credential) return;
    this.#accessWatch?.release();
    const { signal, release } = party.follow();
    this.#accessWatch = { credential: party.credential, release };
    signal.addEventListener('abort', over, { once: true });
  }

  close(): Promise<void> {
    this.#accessWatch?.release();
    return (this.#closed ??= this.#close());
  }

  #once(end: () => unknown): () => void {
    let ended = false;
    this.#usedAt = this.#clock.now();
    return () => {
      if (ended) return;
      ended = true;
      this.#usedAt = this.#clock.now();
      end();
    };
  }
}

/** The open sessions of all clients. */
export class Sessions {
  readonly #clock: Clock;
  readonly #sessions = new Map<string, Session>();
  readonly #sweep: NodeJS.Timeout;
  readonly #reserved: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sweep = setInterval(() => this.#removeExpired(), SWEEP_MS).unref();
  }

  /** Returns an id that cannot be guessed: 32 hexadecimal digits. */
  static newId(): string {
    return randomBytes(16).toString('hex');
  }

  /**
   * Reserves a place for a session that is about to begin; the returned function releases it. Throws if there is
   * none: 429 if the account already has its share, 503 if all are taken.
   */
  reserve(account: string): () => void {
    this.#requireShare(account);
    if (this.#sessions.size + this.#reserved.length >= MAX_SESSIONS) this.#removeExpired();
    if (this.#sessions.size + this.#reserved.length >= MAX_SESSIONS) {
      throw new ServiceError('unavailable',
        `${MAX_SESSIONS} sessions are open, which is the most; end one, or try again later`, {
        headers: { 'Retry-After': '60' },
      });
    }
    this.#reserved.push(account);
    let given = false;
    return () => {
      if (!given) this.#reserved.splice(this.#reserved.indexOf(account), 1);
      given = true;
    };
  }

  #requireShare(account: string): void {
    if (this.#countOf(account) >= MAX_SESSIONS_OF_ONE) this.#removeExpired();
    if (this.#countOf(account) < MAX_SESSIONS_OF_ONE) return;
    throw new ServiceError('rate_limited',
      `you have ${MAX_SESSIONS_OF_ONE} sessions open, which is the most for one user or address; end one with ` +
        'DELETE, or try again later', { headers: { 'Retry-After': '60' } });
  }

  #countOf(account: string): number {
    return [...this.#sessions.values(), ...this.#reserved.map((each) => ({ account: each }))].filter((each) =>
      each.account === account
    ).length;
  }

  add(id: string, options: SessionOptions): Session {
    const session = new Session(id, options, this.#clock);
    this.#sessions.set(id, session);
    this.keepFor(session, options.party);
    return session;
  }

  /**
   * Returns the session of a request; undefined if there is none with that id and kind, if it has expired, or if it has
   * another owner.
   */
  find(id: string, kind: SessionKind, owner: string | undefined): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || session.kind !== kind || session.owner !== owner) return undefined;
    if (!session.isExpired()) return session;
    this.remove(id);
    return undefined;
  }

  /** Like `find`, but throws 404: the client then starts a new session. */
  get(id: string, kind: SessionKind, owner: string | undefined): Session {
    const session = this.find(id, kind, owner);
    if (session === undefined) throw sessionNotFound();
    return session;
  }

  /**
   * Ends a session when the credential that its client presented last ends, and no request of the session is in
   * progress: those were checked when they arrived.
   */
  keepFor(session: Session, party: Party): void {
    session.keepFor(party, () => void session.idle().then(() => this.remove(session.id)));
  }

  /** Ends a session; does nothing if there is none with this id. */
  remove(id: string): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    void session?.close();
  }

  /** Open sessions by transport, as `/health` counts them. */
  count(): Record<SessionKind, number> {
    this.#removeExpired();
    const counts = { sse: 0, streamable: 0 };
    for (const { kind } of this.#sessions.values()) counts[kind]++;
    return counts;
  }

  /** Closes each session once its requests are answered, and all of them at the latest when the signal aborts. */
  async stop(late: AbortSignal): Promise<void> {
    clearInterval(this.#sweep);
    const tooLate = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.all([...this.#sessions.values()].map(async (session) => {
      if (!late.aborted) await Promise.race([session.idle(), tooLate]);
      this.remove(session.id);
      await session.close();
    }));
  }

  #removeExpired(): void {
    for (const [id, session] of this.#sessions) if (session.isExpired()) this.remove(id);
  }
}

export const sessionNotFound = (): Refusal =>
  new Refusal('not_found', 'Session not found', { code: SESSION_NOT_FOUND });
