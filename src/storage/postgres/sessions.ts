import type { Client } from 'pg';
import { ServiceError } from '../../errors/index.ts';

/** How often two connections take turns; once is enough for a pooler that nobody else uses. */
const TURNS = 5;
const PROCESS = 'SELECT pg_backend_pid() AS pid';

/** What is needed of a connection. `processID` is what the server said at its start; poolers say something else. */
export interface Session extends Pick<Client, 'end'> {
  readonly processID?: number | null;
  query(text: string): Promise<{ readonly rows: readonly { readonly pid: number }[] }>;
}

/**
 * Throws `unavailable` if a pooler between this process and the database gives a connection another server process for
 * each transaction: locks, messages and settings of sessions would be lost without an error. `client` is an open
 * connection; `open` opens another one, only if there is a pooler.
 */
export async function requireSessions(client: Session, open: () => Promise<Session>): Promise<void> {
  if (await processOf(client) === client.processID) return;
  const other = await open();
  try {
    for (let turn = 0; turn < TURNS; turn++) {
      if (await processOf(client) === await processOf(other)) throw new ServiceError('unavailable', NOT_KEPT);
    }
  } finally {
    await other.end();
  }
}

const NOT_KEPT = 'the pooler in front of the database gives connections another session for each ' +
  'transaction; locks and messages need sessions that are kept: set pool_mode = session in PgBouncer, or name the ' +
  'database itself';

/** The process of the database that serves a connection at this moment. */
async function processOf(session: Session): Promise<number> {
  const { rows: [found] } = await session.query(PROCESS);
  return found!.pid;
}
