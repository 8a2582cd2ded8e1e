import type { Operations } from '../../../../generated/docs/operations.ts';
import type { ListMcpKeysResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Queries, Row, Transaction } from '../../../storage/index.ts';
import { fingerprintOf, hashOf, MCP_KEY_PREFIX, newMcpKey, requireFuture } from '../credentials/secret-keys.ts';
import { type AccessStore, MAX_MCP_KEYS, requireRoom, write } from '../write.ts';

interface StoredMcpKey {
  /** SHA-256 of the key, as hexadecimal digits. */
  readonly hash: string;
  readonly name: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds; 0 means never. */
  readonly expiresAt: number;
  readonly disabled: boolean;
}

interface KeyRow extends Row {
  readonly hash: string;
  readonly name: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly disabled: number;
}

const SELECT = 'SELECT hash, name, created_at, expires_at, disabled FROM mcp_keys';

export async function readMcpKey(queries: Queries, hash: string): Promise<StoredMcpKey | undefined> {
  const row = await queries.get<KeyRow>(`${SELECT} WHERE hash = ?`, [hash]);
  return row && toKey(row);
}

/** Oldest first, disabled ones included. */
async function listMcpKeys(queries: Queries): Promise<StoredMcpKey[]> {
  return (await queries.all<KeyRow>(`${SELECT} ORDER BY seq`)).map(toKey);
}

async function insertMcpKey(tx: Transaction, { hash, name, createdAt, expiresAt }: StoredMcpKey): Promise<void> {
  await tx.run('INSERT INTO mcp_keys(hash, name, created_at, expires_at) VALUES (?, ?, ?, ?)', [hash, name, createdAt,
    expiresAt]);
}

/** Returns whether the key existed. */
async function removeMcpKey(tx: Transaction, hash: string): Promise<boolean> {
  return (await tx.run('DELETE FROM mcp_keys WHERE hash = ?', [hash])).changes > 0;
}

/** Returns whether the key exists. */
async function disableMcpKey(tx: Transaction, hash: string): Promise<boolean> {
  return (await tx.run('UPDATE mcp_keys SET disabled = 1 WHERE hash = ?', [hash])).changes > 0;
}

function toKey(row: KeyRow): StoredMcpKey {
  return {
    hash: row.hash,
    name: row.name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    disabled: row.disabled === 1,
  };
}

type McpKeyHandlers = Required<
  Pick<Handlers<Operations>, 'createMcpKey' | 'listMcpKeys' | 'deleteMcpKey' | 'disableMcpKey'>
>;

/** MCP keys belong to the server and not to a user. They are useless without MCP. */
export function mcpKeyHandlers(deps: AccessStore, isMcpServed: boolean): McpKeyHandlers {
  const { sql, clock } = deps;
  const requireMcp = (): void => {
    if (!isMcpServed) throw new ServiceError('unavailable', 'MCP key store is not initialised');
  };
  return {
    async createMcpKey({ name, expiresAt }, context) {
      requireMcp();
      const createdAt = unixSeconds(clock);
      requireFuture(expiresAt, createdAt);
      const key = newMcpKey();
      const hash = hashOf(key);
      const fingerprint = fingerprintOf(hash);
      await write(deps, { kind: 'mcp-key.put', key: fingerprint, by: context }, async (tx) => {
        requireRoom((await listMcpKeys(tx)).length, MAX_MCP_KEYS, 'MCP keys');
        await insertMcpKey(tx, { hash, name, createdAt, expiresAt, disabled: false });
      });
      return { key, fingerprint, name, createdAt, expiresAt };
    },
    async listMcpKeys() {
      requireMcp();
      const keys = (await listMcpKeys(sql)).map(toSummary);
      return { keys, total: keys.length };
    },
    async deleteMcpKey({ key }, context) {
      requireMcp();
      const hash = hashOf(key);
      await write(deps, { kind: 'mcp-key.delete', key: fingerprintOf(hash), by: context },
        async (tx) => requireFound(await removeMcpKey(tx, hash)));
      return { status: 'deleted' };
    },
    async disableMcpKey({ key }, context) {
      requireMcp();
      const hash = hashOf(key);
      await write(deps, { kind: 'mcp-key.put', key: fingerprintOf(hash), by: context },
        async (tx) => requireFound(await disableMcpKey(tx, hash)));
      return { status: 'disabled' };
    },
  };
}

function requireFound(found: boolean): void {
  if (!found) throw new ServiceError('not_found', 'not found');
}

function toSummary({ hash, name, createdAt, expiresAt, disabled }: StoredMcpKey): ListMcpKeysResponse['keys'][number] {
  return { fingerprint: fingerprintOf(hash), keyPrefix: MCP_KEY_PREFIX, name, createdAt, expiresAt, disabled };
}
