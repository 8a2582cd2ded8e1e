import { describe, expect, it } from 'vitest';
import { AccessServer, bearer } from './support/access-server.ts';

describe('who may delete a session (decision D-131)', () => {
  it('its owner and whoever has admin permission on _memory', async () => {
    const access = await AccessServer.start({ SVC_AUDIT_ENABLED: 'true' });
    try {
      const callers = new Map<string, string>();
      for (const name of ['ada', 'bob', 'keeper']) {
        callers.set(name, await access.register(name));
        await access.grant(name, '_memory', 'read', 'write', ...(name === 'keeper' ? ['admin' as const] : []));
      }
      const start = async () =>
        (await access.manage<{ sessionId: string }>('POST', '/v1/memory/session', { userId: 'ada' })).sessionId;
      const remove = async (name: string, id: string) =>
        (await fetch(`${access.server.url}/v1/memory/sessions/${id}`, {
          method: 'DELETE',
          headers: { ...bearer(callers.get(name)!) },
        })).status;
      const first = await start();
      expect([await remove('bob', first), await remove('ada', first), await remove('keeper', await start()),
        await remove('keeper', first)]).toEqual([403, 200, 200, 404]);
      const { events } = await access.manage<{ events: { result: string; actor: string; action: string }[] }>('GET',
        '/v1/audit?limit=50');
      const told = events.filter(({ action }) => action.includes('/v1/memory/sessions/')).map(({ actor, result }) =>
        `${actor} ${result}`
      );
      expect(told).toEqual(expect.arrayContaining(['ada ok', 'keeper ok']));
    } finally {
      await access.stop();
    }
  });

  it("and no later user of the owner's name", async () => {
    const access = await AccessServer.start();
    try {
      const register = async () => {
        const token = await access.register('ada');
        await access.grant('ada', '_memory', 'read', 'write');
        return token;
      };
      await register();
      const { sessionId } = await access.manage<{ sessionId: string }>('POST', '/v1/memory/session', { userId: 'ada' });
      await access.manage('DELETE', '/v1/auth/users/ada');
      const remove = async (token: string, id: string) =>
        (await access.send('DELETE', `/v1/memory/sessions/${id}`, bearer(token))).status;
      const token = await register();
      const own = await access.manage<{ sessionId: string }>('POST', '/v1/memory/session', { userId: 'ada' });
      expect([await remove(token, sessionId), await remove(token, own.sessionId)]).toEqual([403, 200]);
    } finally {
      await access.stop();
    }
  });
});
