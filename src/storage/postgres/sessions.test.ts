import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresServer, WITHOUT_POSTGRES } from '../../testkit/postgres-server.ts';
import { openClient, openHeavyPool, openPool } from './connections.ts';
import { requireSessions, type Session } from './sessions.ts';

/** A pooler with some processes of the database: for each connection one that it keeps, or the first free one. */
function pooler(keeps: boolean): { open(): Promise<Session>; readonly openCount: () => number } {
  let connections = 0;
  let ended = 0;
  const open = async (): Promise<Session> => {
    const own = ++connections;
    const pid = keeps ? 100 + own : 100;
    return { processID: 7, query: async () => ({ rows: [{ pid }] }), end: async () => void ended++ };
  };
  return { open, openCount: () => connections - ended };
}

describe('a connection through a pooler', () => {
  it('is accepted if sessions are kept', async () => {
    const { open, openCount } = pooler(true);
    await requireSessions(await open(), open);
    expect(openCount()).toBe(1);
  });

  it('is refused, with what to do, if each transaction has another session', async () => {
    const { open, openCount } = pooler(false);
    await expect(requireSessions(await open(), open)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^the pooler .* set pool_mode = session in PgBouncer/) as string,
    });
    expect(openCount()).toBe(1);
  });

  it('starts without settings that PgBouncer refuses', async () => {
    const started = Promise.withResolvers<string[]>();
    const server = createServer((socket) =>
      socket.once('data', (message) => {
        // Length and version of the protocol, then names and values, each with a zero byte at its end.
        const texts = message.subarray(8).toString().split('\0');
        started.resolve(texts.filter((text, i) => i % 2 === 0 && text !== ''));
        socket.destroy();
      })
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const pool = openPool({ url: `postgres://quire@127.0.0.1:${port}/quire`, size: 1 });
    await expect(pool.query('SELECT 1')).rejects.toThrow();
    expect((await started.promise).sort()).toEqual(['application_name', 'client_encoding', 'database', 'user']);
    await pool.end();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe.skipIf(WITHOUT_POSTGRES)('a connection to PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());

  it('needs no second one to know that its session is kept', async () => {
    const client = await openClient(server.url);
    await requireSessions(client, () => Promise.reject(new Error('not needed')));
    await client.end();
  });

  it.each([['short', openPool, '30s'], ['heavy', openHeavyPool, '10min']] as const)(
    'limits the time of %s statements, of locks and of idle transactions',
    async (_, open, statement) => {
      const pool = open({ url: server.url, size: 1 });
      const show = async (name: string): Promise<unknown> =>
        Object.values((await pool.query(`SHOW ${name}`)).rows[0]!)[0];
      expect([await show('statement_timeout'), await show('lock_timeout'),
        await show('idle_in_transaction_session_timeout'), await show('tcp_keepalives_idle')]).toEqual([statement,
          '10s', '10s', '10']);
      await pool.end();
    },
  );
});
