import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerOf } from './in-child.ts';
import type { Peer } from './job.ts';

/** Where Debian's liblucene*-java puts its jars. */
const JARS = process.env['QUIRE_BENCH_LUCENE'] ?? '/usr/share/java';
const NEEDED = [/^lucene-core-[\d.]+\.jar$/, /^lucene-analyzers-common-[\d.]+\.jar$/];
const HOW = 'install liblucene4.10-java and a JDK, or name a folder with the jars of Lucene 4.10 in QUIRE_BENCH_LUCENE';

let classes: string | undefined;

export const lucene: Peer = {
  name: `Lucene${version()}`,
  note: 'EnglishAnalyzer that keeps stop words, BM25Similarity, memory-mapped, merged to one segment before the queries, JVM warmed up; its tokenizer keeps words with dots and underscores whole, and patterns give all documents the same score',
  missing: () => {
    if (spawnSync('javac', ['-version']).status !== 0) return `needs java and javac: ${HOW}`;
    return jars().length < NEEDED.length ? `has no jars in ${JARS}: ${HOW}` : undefined;
  },
  run: (job) => {
    classes ??= compile();
    const { mode, texts, queries, folder, stemming, stopWords, fields, limit, indexSeconds, querySeconds } = job;
    const parameters = { mode, texts, queries, folder, stemming, stopWords, fields, limit, indexSeconds, querySeconds };
    return answerOf('java', ['-Xmx2g', '-cp', [classes, ...jars()].join(':'), 'Main', ...Object.entries(parameters).map(([name, value]) => `${name}=${value}`)]);
  },
};

function jars(): string[] {
  try {
    const names = readdirSync(JARS);
    return NEEDED.flatMap((needed) => names.filter((name) => needed.test(name)).slice(0, 1)).map((name) => join(JARS, name));
  } catch {
    return [];
  }
}

function version(): string {
  const found = /lucene-core-([\d.]+)\.jar/.exec(jars()[0] ?? '')?.[1];
  return found === undefined ? '' : ` ${found}`;
}

function compile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-lucene-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const source = join(import.meta.dirname, 'lucene');
  const files = readdirSync(source).filter((name) => name.endsWith('.java')).map((name) => join(source, name));
  execFileSync('javac', ['-nowarn', '-cp', jars().join(':'), '-d', folder, ...files], { stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}
