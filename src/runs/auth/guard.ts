import { createHash, timingSafeEqual } from 'node:crypto';
import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { ANONYMOUS, type Caller, type Context, EVERYONE, type Guard, type Identity,
  type OperationSpec } from '../../operations/index.ts';
import type { LoadedRunsConfig, TokenConfig } from '../config/index.ts';
import type { LiveConfig } from '../environment.ts';

type Scope = TokenConfig['scopes'][number];

/** The holder of a token. Scopes are checked before, for the permissions that operations require. */
interface Holder {
  readonly hash: Buffer;
  readonly identity: Identity;
  /** Undefined: all projects. */
  readonly scopes: readonly Scope[] | undefined;
  /** Undefined: it never expires. */
  readonly expiresMs: number | undefined;
}

const BADGE = 'getBadge' satisfies keyof Operations;

/** The scope that an operation requires; `admin` includes all others. */
function scopeOf({ access, scope }: Pick<OperationSpec, 'access' | 'scope'>): Scope {
  return scope ?? (access === 'read' ? 'read' : 'admin');
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Whether reads need no token: because the configuration says so, or because it has no token. */
export function readsAreOpen({ config, apiTokens }: LoadedRunsConfig): boolean {
  return config.runtime.public_reads || (apiTokens.length === 0 && config.tokens.length === 0);
}

/**
 * Who may call (contract, section 5; decisions, section 2.1): a write always needs a token, a read only where the
 * configuration says so. Tokens are those of the current configuration; their scopes say what they may do.
 */
export function createGuard(config: LiveConfig, clock: Clock): Guard {
  const holderOf = createHolderOf(config, clock);
  return {
    identify(operation, { credential }: Caller) {
      if (operation.access === 'public') return ANONYMOUS;
      const loaded = config.current();
      if (operation.access === 'read' &&
        (readsAreOpen(loaded) || (operation.id === BADGE && loaded.config.runtime.public_badges))) return EVERYONE;
      const holder = holderOf(credential);
      if (holder === undefined) throw unauthenticated();
      requireScope(holder, operation);
      return holder.identity;
    },
    version: () => config.current(),
  };
}

/** Returns the holder of a token of the current configuration, whatever its scopes; undefined for any other. */
export function createTokenReader(config: LiveConfig,
  clock: Clock): (credential: Caller['credential']) => Identity | undefined
{
  const holderOf = createHolderOf(config, clock);
  return (credential) => holderOf(credential)?.identity;
}

function createHolderOf(config: LiveConfig, clock: Clock): (credential: Caller['credential']) => Holder | undefined {
  const holdersOf = createHolders();
  return (credential) => {
    const holder = credential?.scheme === 'bearer' ? find(credential.value, holdersOf(config.current())) : undefined;
    return holder?.expiresMs !== undefined && holder.expiresMs <= clock.now() ? undefined : holder;
  };
}

function requireScope({ scopes, identity }: Holder, operation: OperationSpec): void {
  const needed = scopeOf(operation);
  if (scopes === undefined || scopes.includes(needed) || scopes.includes('admin')) return;
  throw new ServiceError('forbidden',
    `${operation.id} takes the scope ${needed}; ${identity.username} has ${scopes.join(', ')}`);
}

/**
 * Hashes have the same length and every one is compared, so the time reveals neither a part of a token nor which one
 * matched.
 */
function find(presented: string, holders: readonly Holder[]): Holder | undefined {
  const hash = hashOf(presented);
  return holders.filter((holder) => timingSafeEqual(hash, holder.hash))[0];
}

/** Caches the tokens of the latest configuration, so that a request costs only one hash. */
function createHolders(): (loaded: LoadedRunsConfig) => readonly Holder[] {
  let latest: { readonly loaded: LoadedRunsConfig; readonly holders: readonly Holder[] } | undefined;
  return (loaded) => {
    if (latest?.loaded !== loaded)
      latest = { loaded, holders: [...loaded.apiTokens.map(holderOfAll), ...loaded.config.tokens.map(holderOf)] };
    return latest.holders;
  };
}

const holderOfAll = (token: string): Holder => ({
  hash: hashOf(token),
  identity: { username: 'api', admin: true, by: 'token', may: () => true },
  scopes: undefined,
  expiresMs: undefined,
});

function holderOf({ name, sha256, scopes, projects, expires }: TokenConfig): Holder {
  const identity: Identity = {
    username: `token:${name}`,
    admin: true,
    by: 'token',
    may: (_permission, project) => projects === null || projects.includes(project),
    expiresAt: expires > 0 ? expires : undefined,
  };
  return { hash: Buffer.from(sha256, 'hex'), identity, scopes, expiresMs: expires > 0 ? expires : undefined };
}

/** A 401 says how to sign in (RFC 9110, section 15.5.2). */
function unauthenticated(): ServiceError {
  return new ServiceError('unauthenticated', 'the bearer token is missing, wrong or expired', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** The caller's name in the audit log: `api`, or `token:NAME` for one of the tokens of the configuration. */
export function actorOf({ identity }: Partial<Pick<Context, 'identity'>>): string {
  return identity?.username || 'api';
}
