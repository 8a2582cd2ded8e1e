import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerOf } from './in-child.ts';
import type { Peer } from './job.ts';

const JARS = process.env['QUIRE_BENCH_LUCENE10'];
/** A folder with `bin/java` of Java 21 or newer; the one that is first on the path unless said. */
const JAVA = process.env['QUIRE_BENCH_JAVA21'];
const HOW = 'name a folder with lucene-core and lucene-analysis-common 10.3 in QUIRE_BENCH_LUCENE10, and a JDK of Java 21 or newer in QUIRE_BENCH_JAVA21';
/** Weight of the title beside the text, as our own default has it. */
const TITLE_WEIGHT = 3;

let classes: string | undefined;

/** Ranks only: its BM25F came after the Lucene that is measured for speed. */
export const lucene10: Peer = {
  name: 'Lucene 10',
  note: 'EnglishAnalyzer, CombinedFieldQuery with the title at weight 3',
  missing: () => {
    if (jars().length < 2) return HOW;
    return spawnSync(command('javac'), ['-version']).status === 0 ? undefined : `needs java and javac: ${HOW}`;
  },
  run: (job) => {
    classes ??= compile();
    const { texts, queries, folder, stemming, stopWords, fields, limit } = job;
    const parameters = { texts, queries, folder, stemming, stopWords, fields, limit, titleWeight: TITLE_WEIGHT };
    return answerOf(command('java'), ['-Xmx2g', '-cp', [classes, ...jars()].join(':'), 'Ranker', ...Object.entries(parameters).map(([name, value]) => `${name}=${value}`)]);
  },
};

function command(name: string): string {
  return JAVA === undefined ? name : join(JAVA, 'bin', name);
}

function jars(): string[] {
  if (JARS === undefined) return [];
  const names = readdirSync(JARS);
  return [/^lucene-core-10[\d.]+\.jar$/, /^lucene-analysis-common-10[\d.]+\.jar$/].flatMap((needed) => names.filter((name) => needed.test(name)).slice(0, 1)).map((name) => join(JARS, name));
}

function compile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-lucene-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  execFileSync(command('javac'), ['-nowarn', '-cp', jars().join(':'), '-d', folder, join(import.meta.dirname, 'lucene10', 'Ranker.java')], { stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}
