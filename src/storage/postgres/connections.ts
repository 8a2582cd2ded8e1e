import pg from 'pg';

/** Timeouts of a statement, and of heavy reads and streams, in milliseconds. */
const STATEMENT_MS = 30_000;
const HEAVY_MS = 600_000;
/** Milliseconds that a statement waits for a row that another transaction has locked. */
const LOCK_MS = 10_000;
/**
 * A transaction that is idle for this many milliseconds is rolled back and its locks are released: its server hangs, or
 * has lost its connection.
 */
const IDLE_MS = 10_000;
/** Milliseconds to connect. */
const CONNECT_MS = 5000;
/** Heavy reads and streams have connections of their own, so that they delay nothing else. */
const HEAVY_CONNECTIONS = 3;

/** Connections of a lost machine are noticed within about half a minute, on both sides. */
const SERVER_KEEPALIVE = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4';

export interface PoolOptions {
  readonly url: string;
  /** Connections for transactions and short reads. */
  readonly size: number;
}

/** For transactions and short reads. */
export function openPool({ url, size }: PoolOptions): pg.Pool {
  // Concurrent statements are sent at once, without waiting for the results in between.
  return newPool(url, size, STATEMENT_MS, true);
}

/** For heavy reads and streams. */
export function openHeavyPool({ url, size }: PoolOptions): pg.Pool {
  return newPool(url, Math.min(size, HEAVY_CONNECTIONS), HEAVY_MS, false); // cursors cannot share a pipeline
}

/** Opens a single connection, for messages and locks, which belong to a session of the database. */
export async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...common(url), application_name: 'quire-peers' });
  try {
    await client.connect();
    await client.query(SERVER_KEEPALIVE);
    return client;
  } catch (error) {
    client.on('error', () => {});
    await client.end().catch(() => {});
    throw error;
  }
}

function newPool(url: string, max: number, statementMs: number, pipeline: boolean): pg.Pool {
  const pool = new pg.Pool({
    ...common(url),
    max,
    pipeline,
    application_name: 'quire',
    // Not when the connection starts, because poolers refuse such settings there.
    onConnect: async (client) => {
      await client.query(
        `SET statement_timeout = ${statementMs}; SET lock_timeout = ${LOCK_MS}; ` +
          `SET idle_in_transaction_session_timeout = ${IDLE_MS}; ${SERVER_KEEPALIVE}`,
      );
    },
  });
  // A failed connection is reported by the statement that meets it; the pool drops an unused one.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

const common = (url: string) => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
});

/** Returns a connection to the pool without a transaction, or drops it if that fails. */
export async function leave(client: pg.PoolClient, isGone: boolean): Promise<void> {
  const usable = !isGone && await client.query('ROLLBACK').then(() => true, () => false);
  client.release(!usable);
}
