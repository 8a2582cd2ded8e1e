import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { openDatabase, type Sql } from '../../storage/index.ts';
import { type RunningDocumentService, startDocumentService } from '../docs-service.ts';
import { type Environment, loadSettings } from '../settings/index.ts';

export const SECRET = 'a secret of at least thirty-two characters';

interface Logged {
  readonly level: 'warn' | 'error' | 'info';
  readonly message: string;
}

/** A node within the test's process. Its database is kept when it stops. */
export class TestNode {
  readonly service: RunningDocumentService;
  readonly sql: Sql;
  readonly logged: Logged[];

  private constructor(service: RunningDocumentService, sql: Sql, logged: Logged[]) {
    this.service = service;
    this.sql = sql;
    this.logged = logged;
  }

  static async start(path: string, env: Environment): Promise<TestNode> {
    const { settings } = loadSettings({
      env: {
        SVC_PATH: path,
        SVC_HTTP_ADDR: '127.0.0.1:0',
        SVC_GRPC_ADDR: '127.0.0.1:0',
        SVC_MCP_ADDR: '127.0.0.1:0',
        SVC_REPLICATION_SECRET: SECRET,
        SVC_REPLICATION_RETRY_INTERVAL: '100ms',
        ...env,
      },
    });
    const logged: Logged[] = [];
    const note = (level: Logged['level']) => (_fields: object, message: string): void =>
      void logged.push({ level, message });
    let sql: Sql | undefined;
    const service = await startDocumentService({
      settings,
      validateResponses: true,
      passwordCost: 4,
      log: { ...silentLog, info: note('info'), warn: note('warn'), error: note('error') },
      open: async (file, keys) => (sql = await openDatabase({ path: file, keys })),
    });
    return new TestNode(service, sql!, logged);
  }

  /** Address of gRPC, in the form that followers are configured with. */
  get address(): string {
    return this.service.listeners.grpc!.url.replace(/^.*\/\//, '');
  }

  async call(method: string, path: string, body?: object,
    headers: Record<string, string> = {}): Promise<{ status: number; body: Record<string, unknown> }>
  {
    const response = await fetch(this.service.url + path, {
      method,
      headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** Like `call`, for a request that must succeed. */
  async do<T = Record<string, unknown>>(method: string, path: string, body?: object,
    headers?: Record<string, string>): Promise<T>
  {
    const answer = await this.call(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  }

  status(): Promise<Status> {
    return this.do<Status>('GET', '/v1/replication/status');
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}

interface Status {
  readonly node_id: string;
  readonly role: string;
  readonly current_lsn: number;
  readonly binlog_oldest_lsn: number;
  readonly binlog_size_bytes: number;
  readonly leader_addr: string;
  readonly replication_lag_ms: number;
  readonly healthy: boolean;
  readonly followers: readonly { readonly follower_id: string; readonly confirmed_lsn: number; readonly lag_ms: number;
    readonly status: string }[];
}

/** Every row of every replicated table, by table. */
export async function contentOf(sql: Sql): Promise<Record<string, unknown[]>> {
  const tables = await sql.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT IN " +
      "('replication', 'schema_version') ORDER BY name",
  );
  const content: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const rows = await sql.all(`SELECT * FROM ${name}`);
    content[name] = rows.map((row) =>
      JSON.stringify(
        Object.fromEntries(Object.entries(row).map(([column, value]) => [column, value instanceof Uint8Array
          ? Buffer.from(value).toString('base64')
          : typeof value === 'bigint'
          ? `${value}n`
          : value]
        )),
      )
    ).sort();
  }
  return content;
}

/** The position of a database in its binlog. */
export async function placeOf(sql: Sql): Promise<unknown> {
  return sql.get('SELECT history, position, checksum FROM replication');
}

/** Resolves when a follower has everything that its leader has. */
export async function untilEqual(follower: TestNode, leader: TestNode): Promise<void> {
  await vi.waitFor(async () => {
    const [here, there] = [await placeOf(follower.sql), await placeOf(leader.sql)];
    if (JSON.stringify(here) !== JSON.stringify(there))
      throw new Error(
        `follower at ${JSON.stringify(here)}, leader at ${JSON.stringify(there)}: ${
          JSON.stringify(follower.logged.slice(-5))
        }`,
      );
  }, { timeout: 10_000, interval: 10 });
}

/** A folder for the databases of a test, removed by `remove`. */
export async function testFolder(): Promise<{ path: (name: string) => string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-replication-'));
  return { path: (name) => join(folder, name, 'quire.db'), remove: () => rm(folder, { recursive: true, force: true }) };
}
