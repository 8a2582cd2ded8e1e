// The client of `search-under-load.ts`, a separate process: `node client.ts URL DOCUMENTS IDLE_SECONDS LOAD_SECONDS`
// prints a `LoadOutcome`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Latency } from '../peers/job.ts';
import { latencyOf } from '../peers/latencies.ts';
import { clientOf, type Found } from '../support/client.ts';
import { prose, seeded } from '../support/corpus.ts';

export interface LoadOutcome {
  readonly idle: Omit<Latency, 'matches'>;
  readonly loaded: Omit<Latency, 'matches'>;
  readonly searchesPerSecond: number;
  readonly writers: number;
  readonly written: number;
  readonly deleted: number;
  /** Number of documents that a search did not find although their write was acknowledged before it was sent. */
  readonly notFound: number;
  /** Number of documents that a search found although their deletion was acknowledged before it was sent. */
  readonly stillFound: number;
  readonly failed: number;
}

const SEARCHES_PER_SECOND = 100;
const WRITERS = 4;
const COLLECTION = 'load';
const BATCH = 500;
const BYTES = 1000;

const [url, documents, idleSeconds, loadSeconds] = process.argv.slice(2) as [string, string, string, string];
const random = seeded(3);
const client = clientOf(url);
const tally = { written: 0, deleted: 0, notFound: 0, stillFound: 0, failed: 0 };

await fill(Number(documents));
await searchSteadily(Math.min(3, Number(idleSeconds)));
const idle = latencyOf(await searchSteadily(Number(idleSeconds)));
const end = performance.now() + Number(loadSeconds) * 1000;
const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer, end)));
const loaded = latencyOf(await searchSteadily(Number(loadSeconds)));
await writing;
client.close();
const outcome: LoadOutcome = { idle, loaded, searchesPerSecond: SEARCHES_PER_SECOND, writers: WRITERS, ...tally };
process.stdout.write(JSON.stringify(outcome));

async function fill(count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - from) },
      (_, i) => ({ key: `filled-${from + i}`, lang: 'en', contentMd: prose(random, BYTES) }));
    await client.post('/v1/add-batch', { collection: COLLECTION, documents: batch });
  }
}

/**
 * Sends searches at a steady rate, whether or not the previous ones have been answered; returns milliseconds from the
 * time when each was due.
 */
async function searchSteadily(seconds: number): Promise<number[]> {
  const begun = performance.now();
  const times: number[] = [];
  const under: Promise<void>[] = [];
  for (let i = 0; i < seconds * SEARCHES_PER_SECOND; i++) {
    const due = begun + (i * 1000) / SEARCHES_PER_SECOND;
    if (due > performance.now()) await sleep(due - performance.now());
    const query = [5, 50, 500].map((spread) => `w${10 + Math.floor(spread * random())}`).join(' ');
    const search = client.post('/v1/fts', {
      collection: COLLECTION,
      algorithm: 'bm25',
      mode: 'simple',
      query,
      limit: 10,
      fields: ['key'],
    });
    under.push(search.then(() => void times.push(performance.now() - due), () => void tally.failed++));
  }
  await Promise.all(under);
  return times;
}

/** Writes a document with a unique word, searches for it, deletes every second one and searches again. */
async function write(writer: number, until: number): Promise<void> {
  for (let i = 0; performance.now() < until; i++) {
    const word = `unique${writer}x${i}`;
    const identity = { collection: COLLECTION, key: `written-${writer}-${i}`, lang: 'en' };
    try {
      await client.post('/v1/add', { ...identity, contentMd: `${word} ${prose(random, BYTES)}` });
      tally.written++;
      if ((await matches(word)) !== 1) tally.notFound++;
      if (i % 2 === 0) continue;
      await client.post('/v1/delete', identity);
      tally.deleted++;
      if ((await matches(word)) !== 0) tally.stillFound++;
    } catch {
      tally.failed++;
    }
  }
}

async function matches(word: string): Promise<number> {
  return (await client.post<Found>('/v1/fts', {
    collection: COLLECTION,
    mode: 'simple',
    query: word,
    disableStem: true,
    limit: 1,
    fields: ['key'],
  })).totalMatches;
}
