// `npm run bench` measures everything, prints tables and writes them to RESULTS.md. Run it on a
// machine that is otherwise idle; `npm run bench -- writes` measures one part.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { benchConvert } from './convert.ts';
import { benchEngine } from './engine.ts';
import { benchEvents } from './events.ts';
import { benchFilters, benchFiltersMillion } from './filters.ts';
import { benchFullText } from './fulltext.ts';
import { benchGeo } from './geo.ts';
import { benchHighlights } from './highlights.ts';
import { benchImports } from './imports.ts';
import { benchKnownItems } from './known-items.ts';
import { benchLoginTiming } from './login-timing.ts';
import { benchMeaning } from './meaning.ts';
import { benchMemory } from './memory.ts';
import { benchMemoryRecall } from './memory-recall.ts';
import { benchNodes } from './nodes.ts';
import { benchPostgres } from './postgres.ts';
import { benchProtocols } from './protocols.ts';
import { benchReads } from './reads.ts';
import { benchRelevance } from './relevance.ts';
import { benchReplication } from './replication.ts';
import { benchRunQueue } from './run-queue.ts';
import { benchSearchUnderLoad } from './search-under-load.ts';
import { benchSpell } from './spell.ts';
import { SCALE } from './support/scale.ts';
import { ROOT } from './support/server.ts';
import { comparisons, missing, renderSection, type Row, type Section } from './support/table.ts';
import { benchVectorScans, benchVectors, benchVectorsMillion } from './vectors.ts';
import { benchWiki } from './wiki.ts';
import { benchWrites } from './writes.ts';

type Part = (folder: string) => Promise<Section[]>;

const PARTS: Readonly<Record<string, Part>> = {
  writes: plain('Durable writes', benchWrites),
  reads: plain('Reads over HTTP', benchReads),
  nodes: benchNodes,
  postgres: benchPostgres,
  protocols: benchProtocols,
  imports: benchImports,
  convert: benchConvert,
  wiki: benchWiki,
  memory: plain('Memory and restart', benchMemory),
  'memory-recall': benchMemoryRecall,
  relevance: benchRelevance,
  'known-items': benchKnownItems,
  meaning: benchMeaning,
  fulltext: benchFullText,
  engine: benchEngine,
  highlights: benchHighlights,
  filters: benchFilters,
  'filters-million': benchFiltersMillion,
  geo: benchGeo,
  load: benchSearchUnderLoad,
  events: benchEvents,
  spell: benchSpell,
  'login-timing': benchLoginTiming,
  vectors: benchVectors,
  'vector-scans': benchVectorScans,
  'vectors-million': benchVectorsMillion,
  'run-queue': benchRunQueue,
  replication: plain('Replication', benchReplication),
};
/** Parts that are measured only on request; `writes` is a part of `imports`. */
const ON_DEMAND = ['writes', 'filters-million', 'vectors-million', 'vector-scans'];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`unknown part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(1);
}

// On the disk of the checkout rather than in /tmp, which may be in memory.
const folder = await mkdtemp(join(ROOT, 'data-bench-'));
const sections: Section[] = [];
try {
  for (const name of asked.length > 0 ? asked : Object.keys(PARTS).filter((part) => !ON_DEMAND.includes(part))) {
    console.error(`measuring ${name} ...`);
    sections.push(...(await PARTS[name]!(folder)));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const report = sections.map(renderSection).join('\n');
console.log(report);
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
  return [
    '# Results',
    '',
    `\`cd bench && npm ci && npm run bench\`, ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpu.length} x ${cpu[0]!.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB.`,
    'The load generator shares the cores with the servers; only the ratios mean something.',
    '',
    tables,
  ].join('\n');
}
