import type { Operations } from '../../../../generated/docs/operations.ts';
import type { ListMcpKeysResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Handlers } from '../../../operations/index.ts';
import { fingerprintOf, hashOf, MCP_KEY_PREFIX, newMcpKey, requireFuture } from '../credentials/secret-keys.ts';
import { disableMcpKey, insertMcpKey, listMcpKeys, removeMcpKey, type StoredMcpKey } from '../rows/mcp-key-rows.ts';
import { type AccessStore, MAX_MCP_KEYS, requireRoom, write } from '../write.ts';

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
