import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECRET } from '../../../src/app/replication/test-fixture.ts';
import { inspectOpenDatabase } from '../../../src/testkit/crash/inspect-database.ts';
import { seededRandom } from '../../../src/testkit/crash/random.ts';
import { DocsProcess } from '../../../src/testkit/docs-process.ts';
import { freePort } from '../../../src/testkit/free-port.ts';

const ROUNDS = Number(process.env['QUIRE_CRASH_ROUNDS'] ?? 4);
const SEED = Number(process.env['QUIRE_CRASH_SEED'] ?? 20_268);
const WRITERS = 4;

let folder: string;
let grpcPort: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-crash-replication-'));
  grpcPort = await freePort();
});
afterEach(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true, force: true });
});

const fileOf = (role: string): string => join(folder, role, 'quire.db');

async function start(role: 'leader' | 'follower'): Promise<{ server: DocsProcess; url: string }> {
  const leader = `127.0.0.1:${grpcPort}`;
  const env = {
    SVC_REPLICATION_ROLE: role,
    SVC_REPLICATION_SECRET: SECRET,
    SVC_REPLICATION_RETRY_INTERVAL: '100ms',
    ...(role === 'leader' ? { SVC_GRPC_ADDR: leader } : { SVC_REPLICATION_LEADER_ADDR: leader }),
  };
  const server = DocsProcess.run(['--http-addr', '127.0.0.1:0', '--db', fileOf(role)], { env });
  return { server, url: await server.listening() };
}

/** Adds and changes documents until stopped, and records what was acknowledged. */
function writeTo(urlOf: () => string, writer: number, acknowledged: Map<string, string>): () => Promise<void> {
  let isOver = false;
  const work = (async () => {
    for (let i = 0; !isOver; i++) {
      const key = `w${writer}-${i % 40}`;
      const contentMd = `text ${i} of ${writer} ${'more '.repeat(i % 50)}`;
      const response = await fetch(`${urlOf()}/v1/add`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ collection: 'c', key, lang: 'en', contentMd }),
      }).catch(() => undefined);
      // A request that was cut off may or may not have been written.
      if (response?.ok === true) acknowledged.set(key, contentMd);
      else acknowledged.delete(key);
      if (response?.ok !== true) await setTimeout(50);
    }
  })();
  return () => {
    isOver = true;
    return work;
  };
}

/** Every row that both nodes must have. */
function contentOf(file: string): { place: unknown; rows: unknown[] } {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT IN " +
        "('replication', 'schema_version')",
    ).all() as { name: string }[];
    const rows = tables.map((
      { name },
    ) => [name, ...database.prepare(`SELECT * FROM ${name}`).all().map((row) => JSON.stringify(row)).sort()]);
    return { place: database.prepare('SELECT history, position, checksum FROM replication').get(), rows };
  } finally {
    database.close();
  }
}

describe('a leader and a follower that are killed (SIGKILL) by turns while clients write', () => {
  it(`agree row by row in the end, and miss nothing that was acknowledged, in ${ROUNDS} rounds from seed ${SEED}`,
    async () => {
      const random = seededRandom(SEED);
      const acknowledged = new Map<string, string>();
      let leader = await start('leader');
      let follower = await start('follower');
      const stops = Array.from({ length: WRITERS }, (_, writer) => writeTo(() => leader.url, writer, acknowledged));
      for (let round = 0; round < ROUNDS; round++) {
        // the kill must happen at an arbitrary time, so the test waits for a time instead of an event
        await setTimeout(random.integer(50, 600));
        if (round % 2 === 0) {
          await leader.server.end('SIGKILL');
          leader = await start('leader');
        } else {
          await follower.server.end('SIGKILL');
          follower = await start('follower');
        }
      }
      await Promise.all(stops.map((stop) => stop()));
      expect(acknowledged.size).toBeGreaterThan(0);
      await vi.waitFor(() => expect(contentOf(fileOf('follower')).place).toEqual(contentOf(fileOf('leader')).place), {
        timeout: 20_000,
        interval: 50,
      });
      expect(contentOf(fileOf('follower')).rows).toEqual(contentOf(fileOf('leader')).rows);
      expect(inspectOpenDatabase(fileOf('follower')).faults).toEqual([]);
      for (const [key, contentMd] of acknowledged) {
        const response = await fetch(`${follower.url}/v1/get`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ collection: 'c', key, lang: 'en' }),
        });
        expect(await response.json(), key).toMatchObject({ contentMd });
      }
    }, 120_000);
});
