// `npm run bench` measures everything, prints one table and writes it to RESULTS.md. Run it on a
// machine that does nothing else; `npm run bench -- writes` measures one part.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { benchImport } from './imports.ts';
import { benchMemory } from './memory.ts';
import { benchReads } from './reads.ts';
import { ROOT } from './support/server.ts';
import { renderTable, type Row } from './support/table.ts';
import { benchWrites } from './writes.ts';

const PARTS: Record<string, (folder: string) => Promise<Row[]>> = { writes: benchWrites, reads: benchReads, import: benchImport, memory: benchMemory };

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`unknown part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(1);
}

// On the disk of the checkout rather than in /tmp, which may be memory.
const folder = await mkdtemp(join(ROOT, 'data-bench-'));
const rows: Row[] = [];
try {
  for (const name of asked.length > 0 ? asked : Object.keys(PARTS)) {
    console.error(`measuring ${name} ...`);
    rows.push(...(await PARTS[name]!(folder)));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const report = `${renderTable(rows)}\n`;
console.log(report);
if (asked.length === 0) await writeFile(join(import.meta.dirname, 'RESULTS.md'), results(report));

function results(table: string): string {
  const cpu = cpus();
  return [
    '# Results',
    '',
    `\`cd bench && npm ci && npm run bench\`, ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpu.length} x ${cpu[0]!.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB.`,
    'The load generator shares the cores with the servers; only the ratios mean something.',
    '',
    table,
  ].join('\n');
}
