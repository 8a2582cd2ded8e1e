import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../../src/storage/index.ts';
import { type Random, seededRandom } from '../../../src/testkit/crash/random.ts';
import { DocsProcess } from '../../../src/testkit/docs-process.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../../../src/testkit/postgres-server.ts';

const TIME = { timeout: 1_200_000 };
const NODES = 3;
const SESSIONS = 6;
/** QUIRE_TEST_NODE_KILLS sets a larger number. */
const KILLS = Number(process.env['QUIRE_TEST_NODE_KILLS'] ?? 2);
/** Steps of all sessions between two kills. */
const STEPS = 150;
/**
 * Seconds between two kills instead, if QUIRE_TEST_NODE_SECONDS sets them; steps are then counted, but decide nothing.
 */
const SECONDS = Number(process.env['QUIRE_TEST_NODE_SECONDS'] ?? 0);

interface Node {
  readonly folder: string;
  server: DocsProcess;
  url: string;
}

/** The values that were written to a register, by the only session that writes it. */
interface Register {
  attempted: number;
  acknowledged: number;
}

describe.skipIf(WITHOUT_POSTGRES !== undefined)('nodes that are killed', TIME, () => {
  let postgres: PostgresServer;
  let folder: string;
  let databaseUrl: string;
  let nodes: Node[];

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    databaseUrl = await postgres.createSchema();
    folder = await mkdtemp(join(tmpdir(), 'quire-nodes-'));
    nodes = [];
    for (let i = 0; i < NODES; i++) nodes.push(await startNode(join(folder, `node${i}`)));
  }, TIME.timeout);
  afterAll(async () => {
    await DocsProcess.killAll();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }, TIME.timeout);

  async function startNode(own: string): Promise<Node> {
    const env = {
      SVC_STORAGE_DRIVER: 'postgres',
      SVC_POSTGRES_URL: databaseUrl,
      SVC_POSTGRES_POOL: '4',
      SVC_GRPC_ENABLED: 'false',
      SVC_MCP_ENABLED: 'false',
    };
    return { folder: own, ...await DocsProcess.serve(join(own, 'quire.db'), [], env) };
  }

  /**
   * Goes from node to node with the greatest LSN that it has received, and checks each response against the writes that
   * were acknowledged before.
   */
  class Session {
    readonly own: string;
    readonly #random: Random;
    readonly #registers: Map<string, Register>;
    readonly #seen = new Map<string, number>();
    readonly violations: string[] = [];
    steps = 0;
    cut = 0;
    #lsn = 0;

    constructor(own: string, registers: Map<string, Register>, random: Random) {
      this.own = own;
      this.#registers = registers;
      this.#random = random;
    }

    async step(): Promise<void> {
      this.steps++;
      const kind = this.#random.pick(['write', 'row', 'search'] as const);
      if (kind === 'write') return this.#write();
      const key = this.#random.pick([...this.#registers.keys()]);
      const { acknowledged } = this.#registers.get(key)!;
      const found = kind === 'row' ? await this.#row(key) : await this.#search(key);
      if (found === undefined) return;
      const { attempted } = this.#registers.get(key)!;
      const least = Math.max(this.#seen.get(key) ?? 0, kind === 'row' ? acknowledged : 0);
      if (found < least || found > attempted)
        this.violations.push(
          `${this.own} saw version ${found} of ${key} by ${kind}, expected ${least} to ${attempted}`,
        );
      this.#seen.set(key, Math.max(found, this.#seen.get(key) ?? 0));
    }

    async #write(): Promise<void> {
      const register = this.#registers.get(this.own)!;
      const version = ++register.attempted;
      const answer = await this.#send('/v1/add', {
        collection: 'registers',
        key: this.own,
        lang: 'en',
        contentMd: 'register',
        meta: { version: [String(version)] },
      });
      if (answer === undefined) return;
      register.acknowledged = version;
      this.#seen.set(this.own, version);
    }

    async #row(key: string): Promise<number | undefined> {
      const answer = await this.#send('/v1/get', { collection: 'registers', key, lang: 'en' });
      return answer && versionOf(answer);
    }

    async #search(key: string): Promise<number | undefined> {
      const answer = await this.#send('/v1/fts', { collection: 'registers', query: 'register', limit: 50 }) as {
        results?: { document: { key: string } }[];
      } | undefined;
      return answer && versionOf(answer.results?.find(({ document }) => document.key === key)?.document ?? {});
    }

    /** Undefined if the node was killed meanwhile, or says that it cannot serve the request now. */
    async #send(path: string, value: object): Promise<object | undefined> {
      const { url } = this.#random.pick(nodes);
      try {
        const response = await fetch(`${url}${path}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Quire-Min-LSN': String(this.#lsn) },
          body: JSON.stringify(value),
        });
        const body = await response.json() as object;
        if (response.status !== 200 && response.status !== 404 && response.status !== 503)
          this.violations.push(`${path}: ${response.status} ${JSON.stringify(body)}`);
        if (response.status === 503) return void this.cut++;
        this.#lsn = Math.max(this.#lsn, Number(response.headers.get('x-quire-lsn') ?? 0));
        return body;
      } catch {
        this.cut++;
        await setTimeout(20); // it is being started again
      }
    }
  }

  it('lose nothing that was acknowledged, and show nobody an older state than before', async () => {
    const random = seededRandom(20);
    const registers = new Map(Array.from({ length: SESSIONS }, (_, i) => [`r${i}`, { attempted: 0, acknowledged: 0 }]));
    const sessions = [...registers.keys()].map((own) => new Session(own, registers, random));
    let isOver = false;
    const running = sessions.map(async (session) => {
      while (!isOver) await session.step();
    });
    const steps = () => sessions.reduce((sum, session) => sum + session.steps, 0);
    for (let kill = 0; kill <= KILLS; kill++) {
      const [until, from] = [steps() + STEPS, performance.now()];
      while (SECONDS > 0 ? performance.now() - from < SECONDS * 1000 : steps() < until) await setTimeout(20);
      if (kill === KILLS) break;
      const victim = kill % NODES;
      process.kill(nodes[victim]!.server.pid, 'SIGKILL');
      await nodes[victim]!.server.ended;
      nodes[victim] = await startNode(nodes[victim]!.folder);
    }
    isOver = true;
    await Promise.all(running);
    if (SECONDS > 0)
      console.log({
        kills: KILLS,
        steps: steps(),
        cut: sessions.reduce((sum, session) => sum + session.cut, 0),
      });
    expect(sessions.flatMap(({ violations }) => violations)).toEqual([]);

    const sql = await openPostgres({ url: databaseUrl, pool: 2 });
    for (const [key, { acknowledged, attempted }] of registers) {
      const { meta } = (await sql.get<{ meta: string }>('SELECT meta FROM documents WHERE key = ?', [key]))!;
      const version = versionOf({ meta: JSON.parse(meta) as object });
      expect(version).toBeGreaterThanOrEqual(acknowledged);
      expect(version).toBeLessThanOrEqual(attempted);
    }
    expect(await sql.get('SELECT max(lsn) - min(lsn) + 1 - count(*) AS gaps FROM changes')).toEqual({ gaps: 0 });
    await sql.close();
  });
});

const versionOf = (document: object): number =>
  Number((document as { meta?: { version?: string[] } }).meta?.version?.[0] ?? 0);
