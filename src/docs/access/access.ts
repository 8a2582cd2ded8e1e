import { randomBytes } from 'node:crypto';
import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { openIssuer } from '../../net/oidc/issuer.ts';
import { type AccessWatch, AccessWatches, type Caller, type Context, type Guard, type Handlers, type Identity,
  type Permission, Reply, type Standing } from '../../operations/index.ts';
import type { DocsEnvironment, DocsSettings } from '../environment.ts';
import { Accounts } from './accounts.ts';
import { createGuard, type Credential, identify, openGuard, unauthenticated } from './authenticator.ts';
import { BackgroundStanding, type BackgroundUser } from './background-user.ts';
import { bootstrapAdmin } from './bootstrap-admin.ts';
import { KeyUses } from './credentials/api-keys.ts';
import { Passwords } from './credentials/passwords.ts';
import { expiryOf, hashOf, isExpired } from './credentials/secret-keys.ts';
import { Tokens } from './credentials/tokens.ts';
import { apiKeyHandlers } from './handlers/api-keys.ts';
import { explainHandlers } from './handlers/explain.ts';
import { groupHandlers } from './handlers/groups.ts';
import { mcpKeyHandlers, readMcpKey } from './handlers/mcp-keys.ts';
import { passwordHandlers } from './handlers/passwords.ts';
import { permissionHandlers } from './handlers/permissions.ts';
import { roleHandlers } from './handlers/roles.ts';
import { signInHandlers } from './handlers/sign-in.ts';
import { userHandlers } from './handlers/users.ts';
import { Oidc, oidcHandlers } from './oidc/oidc.ts';
import type { AccessStore } from './write.ts';

/** Authentication and authorization (contract section 5). */
export interface Access {
  readonly handlers: Handlers<Operations>;
  /** Called before every operation. */
  readonly guard: Guard;
  /** Whether callers must authenticate. */
  readonly enabled: boolean;
  /**
   * The identity of a credential; undefined for a credential that is invalid for any reason, and while authentication
   * is off.
   */
  identify(credential: Credential): Promise<Identity | undefined>;
  /** The MCP key of this hash (SHA-256, hexadecimal); undefined for one that is unknown, disabled or expired. */
  findMcpKey(hash: string): Promise<McpKeyOwner | undefined>;
  /** The same by the key itself. */
  checkMcpKey(key: string): Promise<McpKeyOwner | undefined>;
  /**
   * Follows a caller whose stream stays open. `check` verifies what the stream needs beyond a valid credential, and
   * rejects if it is not allowed.
   */
  follow(caller: Caller, check?: () => Promise<unknown>): AccessWatch;
  /** The same for an adapter with its own credentials. */
  readonly accessWatches: AccessWatches;
  /**
   * Calls the listener when users, groups, keys or permissions have changed, before the change is acknowledged. Call
   * the returned function to stop that.
   */
  onChange(listener: () => void): () => void;
  /**
   * Makes sure that there is an administrator. Call it before the first use, and again after the database was replaced.
   */
  load(): Promise<void>;
  /** Drops cached users, groups, keys and permissions, because another process has changed them. */
  reload(): Promise<void>;
  /**
   * The right of a user's work in the background; undefined while authentication is off, when everyone may do
   * everything.
   */
  standingOf(user: BackgroundUser, permission: Permission, collection: string): Standing | undefined;
  /** Records the use of a key by another process, by the key's hash. */
  recordKeyUse(hash: string): void;
  /** Writes pending data to the database. */
  stop(): Promise<void>;
}

/** The owner of an MCP key. */
interface McpKeyOwner {
  readonly name: string;
  /** Unix milliseconds; absent for never. */
  readonly expiresAt?: number;
}

export function createAccess(environment: DocsEnvironment): Access {
  const { sql, feed, clock, log, relay, settings } = environment;
  const auth = settings.auth?.enabled ? settings.auth : undefined;
  const accounts = new Accounts(sql);
  const store = { sql, feed, clock, accounts, log };
  const rules = settings.auth?.passwordMinLength === undefined
    ? undefined
    : { minLength: settings.auth.passwordMinLength };
  const passwords = new Passwords(settings.auth?.passwordCost);
  const uses = new KeyUses({
    sql,
    clock,
    log,
    keep: settings.mode !== 'read',
    relay: relay && ((hash) => relay.add({ kind: 'key-use', hash })),
  });
  const tokens = new Tokens({
    secret: auth?.jwtSecret ?? randomBytes(32).toString('hex'),
    lifetimeMs: auth?.jwtExpiryMs ?? 0,
    sessionMaxMs: auth?.sessionMaxMs,
    clock,
  });
  const { oidc, close } = openOidc(environment, auth, { ...store, passwords });
  const identifyBy = (credential: Credential): Promise<Identity | undefined> =>
    identify({ accounts, tokens, uses, clock, oidc }, credential);
  const findMcpKey: Access['findMcpKey'] = async (hash) => {
    const before = accounts.changes;
    const key = await readMcpKey(sql, hash);
    // Callers cache the result until they are notified of a change. The notification of this change came before they
    // had the result, so the key is read again.
    if (accounts.changes !== before) return findMcpKey(hash);
    if (key === undefined || key.disabled || isExpired(key.expiresAt, unixSeconds(clock))) return undefined;
    return { name: key.name, expiresAt: expiryOf(key.expiresAt) };
  };
  const guard = auth === undefined ? openGuard : createGuard(identifyBy, () => accounts.changes);
  const accessWatches = new AccessWatches({ onChange: (listener) => accounts.onChange(listener), clock });
  return {
    handlers: unstored({
      ...signInHandlers({ ...store, passwords, tokens, someone: auth?.adminUsername ?? '', oidc }),
      ...passwordHandlers({ ...store, passwords, tokens, rules }),
      ...oidcHandlers(oidc, tokens),
      ...userHandlers({ ...store, passwords, rules, issuer: auth?.oidc?.issuer }),
      ...apiKeyHandlers({ ...store, uses }),
      ...groupHandlers(store),
      ...permissionHandlers(store),
      ...roleHandlers(store),
      ...explainHandlers(store),
      ...mcpKeyHandlers(store, settings.description.protocols.mcp.enabled),
    }),
    guard,
    enabled: auth !== undefined,
    identify: auth === undefined ? async () => undefined : identifyBy,
    findMcpKey,
    checkMcpKey: (key) => findMcpKey(hashOf(key)),
    accessWatches,
    follow(caller, check) {
      let account: { readonly id: string | undefined } | undefined;
      return accessWatches.follow(async () => {
        // Any operation that is not public gives the same result here.
        const { account: id, expiresAt, withoutBodies, mayAnywhere } = await guard.identify(operations.searchDocuments,
          caller);
        account ??= { id };
        if (account.id !== id) throw unauthenticated('invalid token');
        // Keys that may write have streams to send.
        if (withoutBodies === true && mayAnywhere?.('write') !== true)
          throw new ServiceError('forbidden', 'forbidden: the API key is for searches, and not for streams');
        await check?.();
        return expiresAt;
      });
    },
    onChange: (listener) => accounts.onChange(listener),
    async load() {
      accounts.forget();
      // A follower has the administrators of its leader.
      if (auth !== undefined && relay === undefined && environment.replication?.refusal === undefined)
        await bootstrapAdmin({ ...store, passwords }, auth);
    },
    reload: async () => accounts.forget(),
    standingOf: (user, permission,
      collection) => (auth === undefined ? undefined : new BackgroundStanding(accounts, user, permission, collection)),
    recordKeyUse: (hash) => uses.note(hash),
    async stop() {
      // Two calls: the first may wait for a write that began before the last uses were recorded.
      await uses.flush();
      await uses.flush();
      await close();
    },
  };
}

/** Sign-in at the issuer that the settings name. */
function openOidc(environment: DocsEnvironment, auth: DocsSettings['auth'],
  store: AccessStore & { readonly passwords: Passwords }): { readonly oidc?: Oidc; close(): Promise<void> }
{
  const { issuer: address, redirectUri } = auth?.oidc ?? {};
  if (auth?.oidc === undefined || address === undefined || redirectUri === undefined)
    return { close: () => Promise.resolve() };
  const { clock, log, relay, replication, settings: { outbound: policy = NO_PRIVATE, mode } } = environment;
  const settings = { ...auth.oidc, issuer: address, redirectUri };
  const { issuer, close } = openIssuer({ settings, policy, clock, log, secret: auth.jwtSecret });
  const mayCreate = (): boolean => mode !== 'read' && relay === undefined && replication?.refusal === undefined;
  return { oidc: new Oidc({ ...store, settings, issuer, log, mayCreate }), close };
}

const NO_PRIVATE = { allowPrivate: 'false', allowlist: [] } as const;

type AnyHandler = (input: object, context: Context) => Promise<object>;

/** No cache on the way may store answers about credentials (decisions section 5.3). */
function unstored<H extends Handlers<Operations>>(handlers: H): H {
  const wrapped = Object.entries(handlers).map(([id, handler]) => {
    const answer: AnyHandler = async (input, context) =>
      new Reply(await (handler as AnyHandler)(input, context), { 'Cache-Control': 'no-store' });
    return [id, answer];
  });
  return Object.fromEntries(wrapped) as H;
}
