import type { Operations } from '../../../../generated/docs/operations.ts';
import type { ListApiKeysResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Handlers, Identity } from '../../../operations/index.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { KeyUses } from '../credentials/key-uses.ts';
import { API_KEY_PREFIX, hashOf, newApiKey } from '../credentials/secret-keys.ts';
import { MAX_API_KEYS_OF_A_USER } from '../limits.ts';
import { insertKey, listKeys, readKey, removeKey, type StoredKey } from '../rows/api-key-rows.ts';
import { readUser } from '../rows/user-rows.ts';
import { unauthenticated } from '../unauthenticated.ts';
import { requireRoom, write, type AccessStore } from '../write.ts';
import { requireFuture } from './expiry.ts';

export interface ApiKeyDeps extends AccessStore {
  readonly uses: KeyUses;
}

export function apiKeyHandlers(deps: ApiKeyDeps): Required<Pick<Handlers<Operations>, 'createApiKey' | 'listApiKeys' | 'deleteApiKey'>> {
  const { sql, clock, uses } = deps;
  return {
    async createApiKey({ description, expiresAt }, { identity }) {
      if (identity.by !== 'token') throw unauthenticated('missing authentication', 'creating an API key needs a token from login');
      const createdAt = unixSeconds(clock);
      requireFuture(expiresAt, createdAt);
      const key = newApiKey();
      const stored: StoredKey = { hash: hashOf(key), username: identity.username, description, createdAt, expiresAt, lastUsedAt: 0 };
      await write(deps, 'api-key.put', identity.username, (tx) => insert(tx, stored));
      return { key, keyHash: stored.hash, description, createdAt, expiresAt };
    },
    async listApiKeys(_input, { identity }) {
      return { keys: (await listKeys(sql, identity.username)).map((key) => toSummary(key, uses)) };
    },
    async deleteApiKey({ keyHash }, { identity }) {
      await write(deps, 'api-key.delete', keyHash, (tx) => remove(tx, keyHash, identity));
      return { status: 'deleted' };
    },
  };
}

/** A key must not outlive its user, who may have been deleted since the request was let in. */
async function insert(tx: Transaction, key: StoredKey): Promise<void> {
  if ((await readUser(tx, key.username)) === undefined) throw unauthenticated('invalid token');
  requireRoom((await listKeys(tx, key.username)).length, MAX_API_KEYS_OF_A_USER, 'API keys of a user');
  await insertKey(tx, key);
}

async function remove(tx: Transaction, hash: string, { username, admin }: Identity): Promise<void> {
  const key = await readKey(tx, hash);
  if (key === undefined) throw new ServiceError('not_found', 'not found');
  if (key.username !== username && !admin) throw new ServiceError('forbidden', 'forbidden: the key belongs to another user');
  await removeKey(tx, hash);
}

function toSummary({ hash, description, createdAt, expiresAt, lastUsedAt }: StoredKey, uses: KeyUses): ListApiKeysResponse['keys'][number] {
  return { keyHash: hash, prefix: API_KEY_PREFIX, description, createdAt, expiresAt, lastUsedAt: uses.lastOf(hash, lastUsedAt) };
}
