// The process of a JavaScript peer with metadata: `node child.ts NAME FOLDER/job.json` prints a `FilterAnswer`.
import { readFileSync } from 'node:fs';
import type { Latency } from '../job.ts';
import { latencyOf } from '../latencies.ts';
import type { MakeFilterEngine } from './engine.ts';
import { type Ask, type FilterAnswer, type FilterJob, fromQuery } from './job.ts';

const ENGINES: Readonly<Record<string, () => Promise<MakeFilterEngine>>> = {
  sqlite: async () => (await import('./sqlite.ts')).makeSqlite,
  duckdb: async () => (await import('./duckdb.ts')).makeDuckDb,
};

const [name, file] = process.argv.slice(2) as [string, string];
const job = JSON.parse(readFileSync(file, 'utf8')) as FilterJob;
const questions = readFileSync(job.queries, 'utf8').trimEnd().split('\n').map((line) => {
  const [kind, query] = line.split('\t') as [string, string];
  return { kind, ask: fromQuery(query) };
});
const begun = performance.now();
const engine = await (await ENGINES[name]!())(job);
const indexSeconds = (performance.now() - begun) / 1000;
const kinds = [...new Set(questions.map(({ kind }) => kind))];
const totals: (number | null)[] = [];
const measured: Record<string, Latency> = {};
for (const kind of kinds) {
  const list = questions.filter((question) => question.kind === kind).map(({ ask }) => ask);
  const found = await firstOf(list);
  totals.push(...found);
  if (found.every((total) => total === null)) continue;
  const times = await askFor(list, job.querySeconds);
  measured[kind] = {
    ...latencyOf(times),
    matches: found.reduce<number>((sum, total) => sum + (total ?? 0), 0) / list.length,
  };
}
process.stdout.write(
  JSON.stringify({ documents: engine.documents, indexSeconds, totals, kinds: measured } satisfies FilterAnswer),
);

/** Runs each query once, which is also the warm-up. */
async function firstOf(list: readonly Ask[]): Promise<(number | null)[]> {
  const found: (number | null)[] = [];
  for (const ask of list) found.push((await engine.search(ask)) ?? null);
  return found;
}

/** Milliseconds of each query, repeated in turn until the time is over. */
async function askFor(list: readonly Ask[], seconds: number): Promise<number[]> {
  const times: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    const before = performance.now();
    await engine.search(list[times.length % list.length]!);
    times.push(performance.now() - before);
  }
  return times;
}
