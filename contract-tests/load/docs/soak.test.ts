import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/testkit/crash/random.ts';
import { DocsProcess, MAIN, ROOT } from '../../../src/testkit/docs-process.ts';
import { HttpClient } from '../../../src/testkit/http-client.ts';
import { Ledger } from '../../../src/testkit/soak/ledger.ts';
import { Searcher } from '../../../src/testkit/soak/searcher.ts';
import { Writer } from '../../../src/testkit/soak/writer.ts';

/** Duration of the writes and searches; if it is set, the test also reports the duration of searches. */
const SECONDS = Number(process.env['QUIRE_SOAK_SECONDS'] ?? 3);
const SEED = Number(process.env['QUIRE_SOAK_SEED'] ?? 20_262);
const TELLS = process.env['QUIRE_SOAK_SECONDS'] !== undefined;
const WRITERS = 6;
const SEARCHERS = 4;
const NAMES_PER_WRITER = 12;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-soak-'));
});
afterEach(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true, force: true });
});

describe('a server that is written to and searched at once', () => {
  it(`finds every acknowledged write and nothing that is gone, in ${SECONDS} s from seed ${SEED}`, async () => {
    const watch = join(ROOT, 'src', 'testkit', 'soak', 'event-loop-delay.ts');
    const server = DocsProcess.command(process.execPath, ['--import', watch, MAIN, 'docs', '--http-addr', '127.0.0.1:0',
      '--db', join(folder, 'quire.db')]);
    const client = new HttpClient(await server.listening(), WRITERS + SEARCHERS + 1);
    const ledger = new Ledger();
    const searchers = Array.from({ length: SEARCHERS }, (_, i) => new Searcher(client, ledger, seededRandom(SEED + i)));
    const writers = Array.from({ length: WRITERS }, (_, i) => {
      const random = seededRandom(SEED + 1000 + i);
      const names = Array.from({ length: NAMES_PER_WRITER }, (_, at) => `w${i}n${at}`);
      return new Writer(client, ledger, new Searcher(client, ledger, random), random, names);
    });
    for (const writer of writers) for (let i = 0; i < NAMES_PER_WRITER; i++) await writer.step();

    const idle = await during(SECONDS / 4, searchers);
    const idleTimes = searchers.flatMap(({ times }) => times.splice(0));
    const busy = await during(SECONDS, [...writers, ...searchers, new LongDocuments(client)]);
    const busyTimes = searchers.flatMap(({ times }) => times.splice(0));
    client.close();
    const { code, stderr } = await server.end();

    expect([...idle, ...busy]).toEqual([]);
    expect([code, stderr.replace(/^event loop delay .*\n/m, '')]).toEqual([0, '']);
    expect(writers.every(({ writes }) => writes > NAMES_PER_WRITER)).toBe(true);
    if (TELLS)
      console.log(
        `${writers.reduce((sum, { writes }) => sum + writes, 0)} writes; searches idle ${
          told(idleTimes)
        }; under writes ${told(busyTimes)}; ${stderr.trim()}`,
      );
  }, (SECONDS * 2 + 60) * 1000);
});

/** Prose and source code of some hundred kilobytes, in a collection of their own. */
class LongDocuments {
  readonly #client: HttpClient;
  #version = 0;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  async step(): Promise<void> {
    const version = ++this.#version;
    const source = Array.from({ length: 8000 },
      (_, i) => `function longName${i % 700}Of${version}(argument${i % 50}) {}`).join('\n');
    const answer = await this.#client.post('/v1/add', {
      collection: 'long',
      lang: 'en',
      key: version % 2 === 0 ? 'a.md' : 'a.js',
      contentMd: source,
    });
    if (answer.status !== 200)
      throw new Error(`a long document answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    await setTimeout(100);
  }
}

/** Lets clients continue for some seconds; returns the errors, once for each client. */
async function during(seconds: number, clients: readonly { step(): Promise<void> }[]): Promise<string[]> {
  const end = performance.now() + seconds * 1000;
  const ended = await Promise.allSettled(clients.map(async (client) => {
    while (performance.now() < end) await client.step();
  }));
  return ended.flatMap((each) => (each.status === 'rejected' ? [String((each.reason as Error).message)] : []));
}

function told(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  return `${sorted.length}: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(0.9999)} ms`;
}
