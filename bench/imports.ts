// Bulk import over HTTP through the command line, beside the least that could store the same text:
// one SQLite table, 200 rows a transaction, in the same durable mode, in process.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { realBodies, realCorpus } from './support/corpus.ts';
import { ROOT, startQuire } from './support/server.ts';
import { compare, figure, type Row } from './support/table.ts';

export async function benchImport(folder: string): Promise<Row[]> {
  const files = await realCorpus();
  if (files.length === 0) return [];
  const bodies: string[] = [];
  for await (const body of realBodies()) bodies.push(body);
  const megabytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / 1e6;
  const plain = plainInserts(join(folder, 'plain.db'), bodies);
  const server = await startQuire(join(folder, 'import.db'));
  const begun = performance.now();
  for (const file of files) execFileSync(process.execPath, [join(ROOT, 'src/app/main.ts'), 'import', file, '--collection', 'mdn', '--url', server.url, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const seconds = (performance.now() - begun) / 1000;
  await server.stop();
  const stored = { documents: bodies.length / seconds, megabytes: megabytes / seconds };
  return [
    compare(`import of ${figure(bodies.length)} MDN pages`, stored.documents, 'plain SQLite inserts', bodies.length / plain, 'documents/s'),
    compare(`import of ${figure(megabytes)} MB of MDN`, stored.megabytes, 'plain SQLite inserts', megabytes / plain, 'MB/s'),
  ];
}

/** Seconds that plain inserts take. */
function plainInserts(file: string, bodies: readonly string[]): number {
  const begun = performance.now();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE documents(id INTEGER PRIMARY KEY, body TEXT)');
  const insert = db.prepare('INSERT INTO documents(body) VALUES (?)');
  for (let i = 0; i < bodies.length; i += 200) {
    db.exec('BEGIN');
    for (const body of bodies.slice(i, i + 200)) insert.run(body);
    db.exec('COMMIT');
  }
  db.close();
  return (performance.now() - begun) / 1000;
}
