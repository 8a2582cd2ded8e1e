import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../testkit/crash/random.ts';
import { DocsProcess } from '../../testkit/docs-process.ts';
import type { HttpClient } from '../../testkit/http-client.ts';
import { clientsOf, serving } from '../../testkit/worker-clients.ts';

/** Long, because processes are started. */
const TIME = { timeout: 120_000 };
const PROCESSES = 3;
/** Long enough for others to write on, and to be read from. */
const PAUSE_MS = 30;

let folder: string;
let server: DocsProcess;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-history-'));
  ({ server, url } = await DocsProcess.serve(join(folder, 'quire.db'), [], { SVC_WORKERS: String(PROCESSES) }));
  await serving(url, PROCESSES);
}, TIME.timeout);
afterAll(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true, force: true });
}, TIME.timeout);

/** One step of a session, in the order of its responses: the version that it wrote to a register or read from it. */
interface Step {
  readonly kind: 'write' | 'row' | 'search';
  readonly key: string;
  readonly version: number;
}

/**
 * A client that uses each process in turn and sends the greatest LSN that it has received. It alone writes its own
 * register, so that versions increase.
 */
class WanderingSession {
  readonly history: Step[] = [];
  readonly #clients: readonly HttpClient[];
  readonly #random: Random;
  readonly #own: string;
  #version = 0;
  #lsn = 0;

  constructor(clients: readonly HttpClient[], own: string, random: Random) {
    this.#clients = clients;
    this.#own = own;
    this.#random = random;
  }

  async step(registers: readonly string[]): Promise<void> {
    const kind = this.#random.pick(['write', 'row', 'search'] as const);
    const key = kind === 'write' ? this.#own : this.#random.pick(registers);
    const version = kind === 'write'
      ? await this.#write()
      : kind === 'row'
      ? await this.#row(key)
      : await this.#search(key);
    this.history.push({ kind, key, version });
  }

  async #write(): Promise<number> {
    const version = ++this.#version;
    await this.#send('/v1/add', {
      collection: 'registers',
      key: this.#own,
      lang: 'en',
      contentMd: `register version ${version}`,
      meta: { version: [String(version)] },
    });
    return version;
  }

  async #row(key: string): Promise<number> {
    return versionOf(await this.#send('/v1/get', { collection: 'registers', key, lang: 'en' }));
  }

  async #search(key: string): Promise<number> {
    const { results } = await this.#send('/v1/fts', { collection: 'registers', query: 'register', limit: 50 }) as {
      results: { document: { key: string; meta?: { version?: string[] } } }[];
    };
    return versionOf(results.find(({ document }) => document.key === key)?.document ?? {});
  }

  async #send(path: string, value: object): Promise<object> {
    const client = this.#random.pick(this.#clients);
    const answer = await client.send('POST', path, {
      headers: { 'Content-Type': 'application/json', 'X-Quire-Min-LSN': String(this.#lsn) },
      body: JSON.stringify(value),
    });
    expect([200, 404], answer.text).toContain(answer.status);
    this.#lsn = Math.max(this.#lsn, Number(answer.headers['x-quire-lsn'] ?? 0));
    return answer.json<object>();
  }
}

function versionOf(document: { readonly meta?: { readonly version?: readonly string[] } }): number {
  return Number(document.meta?.version?.[0] ?? 0);
}

/** Steps of a session that show an older version than it had seen or written: versions of a register only increase. */
function violations(history: readonly Step[]): Step[] {
  const known = new Map<string, number>();
  return history.filter(({ key, version }) => {
    const least = known.get(key) ?? 0;
    known.set(key, Math.max(least, version));
    return version < least;
  });
}

describe('what sessions guarantee (docs/consistency.md)', TIME, () => {
  it('is checked by something that finds violations', () => {
    const history: Step[] = [{ kind: 'write', key: 'a', version: 2 }, { kind: 'row', key: 'b', version: 1 }, {
      kind: 'row',
      key: 'a',
      version: 1,
    }];
    expect(violations(history)).toEqual([history[2]]);
  });

  it('holds while processes are paused: it reads what it wrote, and never less than it has seen', async () => {
    const workers = await pidsOf(server);
    expect(workers).toHaveLength(PROCESSES - 1);
    const registers = ['a', 'b', 'c', 'd'];
    const clients = await Promise.all(registers.map(() => clientsOf({ url }, PROCESSES)));
    const sessions = registers.map((own, i) => new WanderingSession(clients[i]!, own, seededRandom(i + 1)));
    let isDone = false;
    const pausing = (async () => {
      const random = seededRandom(99);
      while (!isDone) {
        const pid = random.pick(workers);
        process.kill(pid, 'SIGSTOP');
        await setTimeout(PAUSE_MS);
        process.kill(pid, 'SIGCONT');
        await setTimeout(PAUSE_MS);
      }
    })();
    await Promise.all(sessions.map(async (session) => {
      for (let step = 0; step < 60; step++) await session.step(registers);
    })).finally(() => (isDone = true));
    await pausing;
    expect(sessions.flatMap(({ history }) => violations(history))).toEqual([]);
    expect(sessions.flatMap(({ history }) => history)).toHaveLength(240);
    clients.flat().forEach((client) => client.close());
  });

  it('ends with the primary: no worker outlives it', async () => {
    const workers = await pidsOf(server);
    process.kill(workers[0]!, 'SIGSTOP');
    process.kill(server.pid, 'SIGKILL');
    process.kill(workers[0]!, 'SIGCONT');
    await server.ended;
    await expect.poll(() => Promise.all(workers.map(isAlive)), { timeout: 20_000 }).toEqual(workers.map(() => false));
  });
});

/** The child processes of a process. */
async function pidsOf({ pid }: DocsProcess): Promise<number[]> {
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);
}

/** A process that has ended may wait until its parent reads its exit status. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !stat.includes(') Z ');
}
