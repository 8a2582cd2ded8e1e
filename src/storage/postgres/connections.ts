import pg from 'pg';

/** Milliseconds that a statement may take, and heavy reads and streams. */
const STATEMENT_MS = 30_000;
const HEAVY_MS = 600_000;
/** Milliseconds that a statement waits for a row that another transaction has locked. */
const LOCK_MS = 10_000;
/** A transaction that does nothing for so long is undone, and its locks with it: its server hangs, or is cut off. */
const IDLE_MS = 10_000;
/** Milliseconds to connect. */
export const CONNECT_MS = 5000;
/** Heavy reads and streams have connections of their own, so that they hold up nothing else. */
const HEAVY_CONNECTIONS = 3;

/** Connections of a lost machine are noticed within about half a minute, on both sides. */
const SERVER_KEEPALIVE = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4';

export interface PoolOptions {
  readonly url: string;
  /** Connections for transactions and short reads. */
  readonly size: number;
}

/** For transactions and short reads. */
export function openPool({ url, size }: PoolOptions): pg.Pool {
  // What is asked at once is sent at once, without waiting for the answers in between.
  return newPool(url, size, STATEMENT_MS, true);
}

/** For heavy reads and streams. */
export function openHeavyPool({ url, size }: PoolOptions): pg.Pool {
  return newPool(url, Math.min(size, HEAVY_CONNECTIONS), HEAVY_MS, false); // cursors cannot share a pipeline
}

/** One connection, for what belongs to a session: messages and locks. */
export function newClient(url: string): pg.Client {
  return new pg.Client({ ...common(url), application_name: 'quire-peers' });
}

function newPool(url: string, max: number, statementMs: number, pipeline: boolean): pg.Pool {
  const pool = new pg.Pool({ ...common(url), max, pipeline, statement_timeout: statementMs, lock_timeout: LOCK_MS, idle_in_transaction_session_timeout: IDLE_MS, application_name: 'quire' });
  // The failure of a connection is told by the statement that meets it; the pool drops one that nobody uses.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

const common = (url: string) => ({
  connectionString: url, connectionTimeoutMillis: CONNECT_MS, keepAlive: true, keepAliveInitialDelayMillis: 10_000, options: SERVER_KEEPALIVE,
});

/** Hands a connection back without a transaction, or drops it where that fails. */
export async function leave(client: pg.PoolClient, isGone: boolean): Promise<void> {
  const usable = !isGone && await client.query('ROLLBACK').then(() => true, () => false);
  client.release(!usable);
}
