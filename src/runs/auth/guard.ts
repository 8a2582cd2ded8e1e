import { createHash, timingSafeEqual } from 'node:crypto';
import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { ANONYMOUS, type Caller, type Context, EVERYONE, type Guard, type Identity,
  type OperationSpec } from '../../operations/index.ts';
import type { LoadedRunsConfig, TokenConfig } from '../config/index.ts';
import type { LiveConfig } from '../environment.ts';
import { coversProject, type Grant, grantsFor, grantsOf, type HolderIdentity, type Person, scopeOf } from './grants.ts';

/** The holder of a credential. */
interface Holder {
  readonly username: string;
  readonly grants: readonly Grant[];
  /** When the credential ends; undefined: never. */
  readonly endsAt: number | undefined;
  /** When the credential has to be checked again, which may be before its end. */
  readonly checkAt?: number | undefined;
}

interface TokenHolder extends Holder {
  readonly hash: Buffer;
}

/** People who have signed in, or who show a token of the issuer. */
export interface PeopleOfIssuer {
  /** Undefined for a credential that is not valid. Rejects with `issuer_unavailable` if that cannot be found out. */
  identify(credential: string): Promise<(Person & { readonly endsAt: number; readonly checkAt: number }) | undefined>;
  /** A value that is another one as soon as a session has ended early. */
  changes(): number;
}

const BADGE = 'getBadge' satisfies keyof Operations;

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Whether reads need no token: because the configuration says so, or because it lets nobody in. */
export function readsAreOpen({ config, apiTokens }: LoadedRunsConfig): boolean {
  return config.runtime.public_reads ||
    (apiTokens.length === 0 && config.tokens.length === 0 && config.oidc.issuer === '');
}

/**
 * Who may call (contract, section 5; decisions, section 2.1): a write always needs a token, a read only where the
 * configuration says so. Tokens are those of the current configuration; their scopes say what they may do. Other
 * credentials are asked of `people`, and the roles of the current configuration say what these may do.
 */
export function createGuard(config: LiveConfig, clock: Clock, people?: PeopleOfIssuer): Guard {
  const holderOf = createHolderOf(config, people);
  return {
    identify(operation, { credential }: Caller) {
      if (operation.access === 'public') return ANONYMOUS;
      const loaded = config.current();
      if (operation.access === 'read' &&
        (readsAreOpen(loaded) || (operation.id === BADGE && loaded.config.runtime.public_badges))) return EVERYONE;
      const holder = holderOf(credential);
      const admitted = (found: Holder | undefined): HolderIdentity => admit(found, operation, clock.now());
      return holder instanceof Promise ? holder.then(admitted) : admitted(holder);
    },
    version: createVersion(config, people),
  };
}

/** Returns the identity of a credential that is valid now, with all that its scopes and roles allow anywhere. */
export function createCredentialReader(config: LiveConfig, clock: Clock,
  people?: PeopleOfIssuer): (credential: Caller['credential']) => Promise<Identity | undefined>
{
  const holderOf = createHolderOf(config, people);
  return async (credential) => {
    const holder = await holderOf(credential);
    return holder === undefined || hasEnded(holder, clock.now()) ? undefined : identityOf(holder, holder.grants);
  };
}

type HolderOf = (credential: Caller['credential']) => Holder | undefined | Promise<Holder | undefined>;

function createHolderOf(config: LiveConfig, people: PeopleOfIssuer | undefined): HolderOf {
  const holdersOf = createHolders();
  const personOf = async (credential: string): Promise<Holder | undefined> => {
    const person = await people?.identify(credential);
    return person && { ...person, grants: grantsOf(person, config.current().config.oidc.roles) };
  };
  return (credential) => {
    if (credential?.scheme !== 'bearer') return undefined;
    const holder = find(credential.value, holdersOf(config.current()));
    return holder !== undefined || people === undefined ? holder : personOf(credential.value);
  };
}

/** One object for each state in which `identify` may decide differently. */
function createVersion(config: LiveConfig, people: PeopleOfIssuer | undefined): () => unknown {
  let latest = { loaded: config.current(), changes: people?.changes() };
  return () => {
    const now = { loaded: config.current(), changes: people?.changes() };
    if (latest.loaded !== now.loaded || latest.changes !== now.changes) latest = now;
    return latest;
  };
}

function admit(holder: Holder | undefined, operation: OperationSpec, now: number): HolderIdentity {
  if (holder === undefined || hasEnded(holder, now)) throw unauthenticated();
  const counting = grantsFor(operation, holder.grants);
  if (counting.length === 0) throw refused(operation, holder);
  return identityOf(holder, counting);
}

const hasEnded = ({ endsAt }: Holder, now: number): boolean => endsAt !== undefined && endsAt <= now;

/** `counting`: the grants that say which projects it may reach. */
function identityOf({ username, grants, endsAt, checkAt = endsAt }: Holder,
  counting: readonly Grant[]): HolderIdentity
{
  return {
    username,
    admin: true,
    by: 'token',
    grants,
    endsAt,
    expiresAt: checkAt,
    may: (_permission, project) => coversProject(counting, project),
  };
}

function refused(operation: OperationSpec, { username, grants }: Holder): ServiceError {
  const held = [...new Set(grants.flatMap(({ scopes }) => scopes))];
  return new ServiceError('forbidden',
    held.length === 0
      ? `${username} has no role here`
      : `${operation.id} takes the scope ${scopeOf(operation)}; ${username} has ${held.join(', ')}`);
}

/**
 * Hashes have the same length and every one is compared, so the time reveals neither a part of a token nor which one
 * matched.
 */
function find(presented: string, holders: readonly TokenHolder[]): TokenHolder | undefined {
  const hash = hashOf(presented);
  return holders.filter((holder) => timingSafeEqual(hash, holder.hash))[0];
}

/** Caches the tokens of the latest configuration, so that a request costs only one hash. */
function createHolders(): (loaded: LoadedRunsConfig) => readonly TokenHolder[] {
  let latest: { readonly loaded: LoadedRunsConfig; readonly holders: readonly TokenHolder[] } | undefined;
  return (loaded) => {
    if (latest?.loaded !== loaded)
      latest = { loaded, holders: [...loaded.apiTokens.map(holderOfAll), ...loaded.config.tokens.map(holderOf)] };
    return latest.holders;
  };
}

const holderOfAll = (token: string): TokenHolder => ({
  hash: hashOf(token),
  username: 'api',
  grants: [{ scopes: ['admin'], projects: null }],
  endsAt: undefined,
});

function holderOf({ name, sha256, scopes, projects, expires }: TokenConfig): TokenHolder {
  return {
    hash: Buffer.from(sha256, 'hex'),
    username: `token:${name}`,
    grants: [{ scopes, projects }],
    endsAt: expires > 0 ? expires : undefined,
  };
}

/** A 401 says how to sign in (RFC 9110, section 15.5.2). */
function unauthenticated(): ServiceError {
  return new ServiceError('unauthenticated', 'the bearer token is missing, wrong or expired', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** The caller's name in the audit log: `api`, `token:NAME` for one of the tokens, `user:NAME` for a person. */
export function actorOf({ identity }: Partial<Pick<Context, 'identity'>>): string {
  return identity?.username || 'api';
}

/** What a caller may do, and when the credential ends; nothing for an identity that no credential stands for. */
export function rightsOf(identity: Identity): Pick<HolderIdentity, 'grants' | 'endsAt'> {
  const { grants = [], endsAt } = identity as Partial<HolderIdentity>;
  return { grants, endsAt };
}
