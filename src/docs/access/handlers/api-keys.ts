import type { Operations } from '../../../../generated/docs/operations.ts';
import type { ListApiKeysResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Handlers, Identity } from '../../../operations/index.ts';
import type { Transaction } from '../../../storage/index.ts';
import { unauthenticated } from '../authenticator.ts';
import { insertKey, type KeyUses, listKeys, readKey, removeKey, revokeKey,
  type StoredKey } from '../credentials/api-keys.ts';
import { API_KEY_PREFIX, hashOf, newApiKey, requireFuture } from '../credentials/secret-keys.ts';
import { CLASSES, isOperationName, type KeyScope } from '../scope.ts';
import { readUser } from '../user-rows.ts';
import { type AccessStore, MAX_API_KEYS_OF_A_USER, notFound, requireRoom, write } from '../write.ts';

interface ApiKeyDeps extends AccessStore {
  readonly uses: KeyUses;
}

/** Stands for the keys of all users. */
const ALL_USERS = '*';

export function apiKeyHandlers(
  deps: ApiKeyDeps,
): Required<Pick<Handlers<Operations>, 'createApiKey' | 'listApiKeys' | 'revokeApiKey' | 'deleteApiKey'>> {
  const { sql, clock, uses } = deps;
  return {
    async createApiKey({ description, expiresAt, ...given }, context) {
      const { identity } = context;
      if (identity.by !== 'token')
        throw unauthenticated('missing authentication', 'creating an API key needs a token from login');
      const createdAt = unixSeconds(clock);
      requireFuture(expiresAt, createdAt);
      const scope = scopeOf(given);
      const key = newApiKey();
      const stored: StoredKey = {
        hash: hashOf(key),
        username: identity.username,
        description,
        createdAt,
        expiresAt,
        lastUsedAt: 0,
        revokedAt: 0,
        ...scope,
      };
      await write(deps, { kind: 'api-key.put', key: identity.username, by: context },
        (tx) => insert(tx, stored, identity));
      return { key, keyHash: stored.hash, description, createdAt, expiresAt, ...copied(scope) };
    },
    async listApiKeys({ username: wanted }, { identity }) {
      const username = wanted ?? identity.username;
      if (username !== identity.username && !identity.admin)
        throw new ServiceError('forbidden', 'forbidden: only an administrator lists the keys of other users');
      if (username !== ALL_USERS && username !== identity.username && (await readUser(sql, username)) === undefined)
        throw notFound(`user ${username}`);
      return {
        keys: (await listKeys(sql, username === ALL_USERS ? undefined : username)).map((key) => toSummary(key, uses)),
      };
    },
    revokeApiKey: ({ keyHash }, context) =>
      write(deps, { kind: 'api-key.put', key: keyHash, by: context }, async (tx) => {
        await requireOwn(tx, keyHash, context.identity);
        await revokeKey(tx, keyHash, unixSeconds(clock));
        return toSummary((await readKey(tx, keyHash))!, uses);
      }),
    async deleteApiKey({ keyHash }, context) {
      await write(deps, { kind: 'api-key.delete', key: keyHash, by: context },
        (tx) => remove(tx, keyHash, context.identity));
      return { status: 'deleted' };
    },
  };
}

/** Throws `invalid_argument` for an operation that does not exist. */
function scopeOf({ collections, operations }: KeyScope): KeyScope {
  const unknown = operations?.find((name) => !isOperationName(name));
  if (unknown !== undefined)
    throw new ServiceError('invalid_argument',
      `operations must be ${CLASSES.join(', ')}, or ids of operations as /v1/endpoints lists them, got "${unknown}"`);
  return {
    collections: collections && [...new Set(collections.map((name) => name.toLowerCase()))],
    operations: operations && [...new Set(operations)],
  };
}

/**
 * A key must not outlive its user, who may have been deleted after the request was admitted; another one may have the
 * name by now.
 */
async function insert(tx: Transaction, key: StoredKey, { account }: Identity): Promise<void> {
  if ((await readUser(tx, key.username))?.uid !== account) throw unauthenticated('invalid token');
  requireRoom((await listKeys(tx, key.username)).length, MAX_API_KEYS_OF_A_USER, 'API keys of a user');
  await insertKey(tx, key);
}

async function remove(tx: Transaction, hash: string, identity: Identity): Promise<void> {
  await requireOwn(tx, hash, identity);
  await removeKey(tx, hash);
}

/** Throws `not_found`, and `forbidden` for the key of another user. */
async function requireOwn(tx: Transaction, hash: string, { username, admin }: Identity): Promise<void> {
  const key = await readKey(tx, hash);
  if (key === undefined) throw new ServiceError('not_found', 'not found');
  if (key.username !== username && !admin)
    throw new ServiceError('forbidden', 'forbidden: the key belongs to another user');
}

function toSummary({ hash, username, description, createdAt, expiresAt, lastUsedAt, revokedAt, ...scope }: StoredKey,
  uses: KeyUses): ListApiKeysResponse['keys'][number]
{
  return {
    keyHash: hash,
    prefix: API_KEY_PREFIX,
    username,
    description,
    createdAt,
    expiresAt,
    lastUsedAt: uses.lastOf(hash, lastUsedAt),
    revokedAt: revokedAt || undefined,
    ...copied(scope),
  };
}

function copied({ collections, operations }: KeyScope): { collections?: string[]; operations?: string[] } {
  return { collections: collections && [...collections], operations: operations && [...operations] };
}
