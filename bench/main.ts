// `npm run bench` measures everything, prints tables and writes them to RESULTS.md. Run it on a machine that is
// otherwise idle; `npm run bench -- writes` measures one part, and `npm run bench -- --against COMMIT writes` measures
// it with this checkout and with another commit.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchAgainst } from './against/index.ts';
import { SCALE } from './support/scale.ts';
import { ROOT } from './support/server.ts';
import { comparisons, missing, renderSection, type Row, type Section } from './support/table.ts';

type Part = (folder: string) => Promise<Section[]>;

/** Each is loaded when it is measured: another commit need not have what the other parts import. */
const PARTS: Readonly<Record<string, Part>> = {
  writes: plain('Durable writes', async (folder) => (await import('./writes.ts')).benchWrites(folder)),
  reads: plain('Reads over HTTP', async (folder) => (await import('./reads.ts')).benchReads(folder)),
  nodes: async (folder) => (await import('./nodes.ts')).benchNodes(folder),
  postgres: async (folder) => (await import('./postgres.ts')).benchPostgres(folder),
  protocols: async (folder) => (await import('./protocols.ts')).benchProtocols(folder),
  imports: async (folder) => (await import('./imports.ts')).benchImports(folder),
  convert: async (folder) => (await import('./convert.ts')).benchConvert(folder),
  wiki: async () => (await import('./wiki.ts')).benchWiki(),
  memory: plain('Memory and restart', async (folder) => (await import('./memory.ts')).benchMemory(folder)),
  'memory-recall': async (folder) => (await import('./memory-recall.ts')).benchMemoryRecall(folder),
  relevance: async (folder) => (await import('./relevance.ts')).benchRelevance(folder),
  'known-items': async (folder) => (await import('./known-items.ts')).benchKnownItems(folder),
  languages: async (folder) => (await import('./languages.ts')).benchLanguages(folder),
  ranking: async () => (await import('./ranking.ts')).benchRanking(),
  meaning: async (folder) => (await import('./meaning.ts')).benchMeaning(folder),
  fulltext: async (folder) => (await import('./fulltext.ts')).benchFullText(folder),
  engine: async (folder) => (await import('./engine.ts')).benchEngine(folder),
  highlights: async (folder) => (await import('./highlights.ts')).benchHighlights(folder),
  rerank: async (folder) => (await import('./rerank.ts')).benchRerank(folder),
  filters: async (folder) => (await import('./filters.ts')).benchFilters(folder),
  'filters-million': async (folder) => (await import('./filters.ts')).benchFiltersMillion(folder),
  geo: async () => (await import('./geo.ts')).benchGeo(),
  load: async (folder) => (await import('./search-under-load.ts')).benchSearchUnderLoad(folder),
  attackers: async (folder) => (await import('./attackers.ts')).benchAttackers(folder),
  events: async (folder) => (await import('./events.ts')).benchEvents(folder),
  spell: async () => (await import('./spell.ts')).benchSpell(),
  'login-timing': async (folder) => (await import('./login-timing.ts')).benchLoginTiming(folder),
  vectors: async (folder) => (await import('./vectors.ts')).benchVectors(folder),
  'vector-scans': async (folder) => (await import('./vectors.ts')).benchVectorScans(folder),
  'vectors-http': async (folder) => (await import('./vectors-http.ts')).benchVectorsHttp(folder),
  'vectors-million': async (folder) => (await import('./vectors.ts')).benchVectorsMillion(folder),
  'run-queue': async (folder) => (await import('./run-queue.ts')).benchRunQueue(folder),
  cluster: async () => (await import('./cluster.ts')).benchCluster(),
  replication: plain('Replication', async (folder) => (await import('./replication.ts')).benchReplication(folder)),
};
/** Parts that are measured only on request; `writes` is a part of `imports`. */
const ON_DEMAND = ['writes', 'filters-million', 'vectors-million', 'vector-scans'];

const { positionals: asked, values: { against, rounds, json } } = parseArgs({
  allowPositionals: true,
  options: { against: { type: 'string' }, rounds: { type: 'string', default: '3' }, json: { type: 'string' } },
});
const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`unknown part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(1);
}
if (against !== undefined && (asked.length === 0 || !(Number(rounds) >= 1))) {
  console.error(
    '--against COMMIT needs the names of parts, and --rounds a number from 1; example: npm run bench -- --against ' +
      'HEAD~10 writes reads',
  );
  process.exit(1);
}

// On the disk of the checkout rather than in /tmp, which may be in memory.
const folder = await mkdtemp(join(ROOT, 'data-bench-'));
const sections: Section[] = [];
try {
  if (against !== undefined)
    sections.push(...await benchAgainst({ commit: against, parts: asked, rounds: Number(rounds) }));
  else for (const name of asked.length > 0 ? asked : Object.keys(PARTS).filter((part) => !ON_DEMAND.includes(part))) {
      console.error(`measuring ${name} ...`);
      sections.push(...(await PARTS[name]!(folder)));
    }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
// The servers of a part that failed are still running, and this process would wait for them.
if (process.exitCode === 1) process.exit();
const report = sections.map(renderSection).join('\n');
console.log(report);
if (json !== undefined) await writeFile(json, JSON.stringify(sections));
if (asked.length === 0 && SCALE === 1) await writeFile(join(import.meta.dirname, 'RESULTS.md'), results(report));

/** A part with comparisons; if there are none, it says why. */
function plain(title: string, measure: (folder: string) => Promise<Row[]>, reason = ''): Part {
  return async (within) => {
    const rows = await measure(within);
    return [rows.length === 0 ? missing(title, reason) : comparisons(title, rows)];
  };
}

function results(tables: string): string {
  const cpu = cpus();
  return ['# Results', '',
    `\`cd bench && npm ci && npm run bench\`, ${
      new Date().toISOString().slice(0, 10)
    }, Node ${process.versions.node}, ${cpu.length} x ${cpu[0]!.model.trim()}, ${
      Math.round(totalmem() / 2 ** 30)
    } GiB.`, 'The load generator shares the cores with the servers; only the ratios mean something.', '', tables].join(
      '\n',
    );
}
