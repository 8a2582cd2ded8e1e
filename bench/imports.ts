// Bulk import over HTTP, through the command line, in batches and as a stream of lines, compared with the minimum that
// could store the same text: one SQLite table, 200 rows per transaction, in the same durable mode, in process. Then
// single writes compared with the rate at which the same disk completes an fdatasync, in the same run.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { writeSynthetic } from './fulltext/texts.ts';
import { CORPUS_HINT, realBodies, realCorpus } from './support/corpus.ts';
import { scaled } from './support/scale.ts';
import { ROOT, startQuire } from './support/server.ts';
import { compare, comparisons, figure, missing, type Row, type Section } from './support/table.ts';
import { benchWrites } from './writes.ts';

const DOCUMENTS = scaled(200_000, 2000);
/** About 1.1 KB of text. */
const WORDS = 145;
const BATCH = 500;
const IN_FLIGHT = 4;

export async function benchImports(folder: string): Promise<Section[]> {
  const parts = [['Import', benchImport], ['Bulk writes', benchBulkWrites]] as const;
  const sections: Section[] = [];
  for (const [title, measure] of parts) {
    const rows = await measure(folder);
    sections.push(
      rows.length === 0 ? missing(title, `it needs the folder docs-mdn: ${CORPUS_HINT}`) : comparisons(title, rows),
    );
  }
  return [...sections, comparisons('Durable writes', await benchWrites(folder))];
}

/** Documents per second that are durable and can be found. The requests are prepared before the clock starts. */
async function benchBulkWrites(folder: string): Promise<Row[]> {
  if ((await realCorpus()).length === 0) return [];
  const { file } = await writeSynthetic(join(folder, 'texts.txt'), DOCUMENTS, WORDS);
  const texts = readFileSync(file, 'utf8').trimEnd().split('\n');
  const plain = texts.length / plainInserts(join(folder, 'plain-texts.db'), texts);
  const documents = texts.map((contentMd, i) => ({
    key: `page-${i}`,
    lang: 'en',
    contentMd,
    meta: { half: [String(i % 2)], twentieth: [String(i % 20)], price: [String((i * 7907) % 10_000)] },
  }));
  const name = `${figure(texts.length)} documents of 1.1 KB`;
  const batched = await measured(join(folder, 'batches.db'), documents.length, (url) => inBatches(url, documents));
  const streamed = await measured(join(folder, 'lines.db'), documents.length, (url) => asLines(url, documents));
  return [
    compare(`${name}, POST /v1/add-batch, ${IN_FLIGHT} in flight`, batched, 'plain SQLite inserts', plain,
      'documents/s'),
    compare(`${name}, POST /v1/import`, streamed, 'plain SQLite inserts', plain, 'documents/s'),
  ];
}

async function measured(database: string, documents: number,
  prepare: (url: string) => () => Promise<void>): Promise<number>
{
  const server = await startQuire(database);
  const send = prepare(server.url);
  const begun = performance.now();
  await send();
  const seconds = (performance.now() - begun) / 1000;
  await server.stop();
  return documents / seconds;
}

function inBatches(url: string, documents: readonly object[]): () => Promise<void> {
  const bodies: Buffer[] = [];
  for (let i = 0; i < documents.length; i += BATCH)
    bodies.push(Buffer.from(JSON.stringify({ collection: 'bench', documents: documents.slice(i, i + BATCH) })));
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < bodies.length) {
      const { failed } = JSON.parse(await post(agent, `${url}/v1/add-batch`, 'application/json', bodies[next++]!)) as {
        failed: number;
      };
      if (failed > 0) throw new Error(`${failed} documents failed`);
    }
  };
  return async () => {
    await Promise.all(Array.from({ length: IN_FLIGHT }, client));
    agent.destroy();
  };
}

function asLines(url: string, documents: readonly object[]): () => Promise<void> {
  const lines = Buffer.from(documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
  return async () => {
    const agent = new Agent();
    const answer = await post(agent, `${url}/v1/import?collection=bench`, 'application/x-ndjson', lines);
    const { added, done } = JSON.parse(answer.trimEnd().split('\n').at(-1)!) as { added: number; done?: boolean };
    if (done !== true || added !== documents.length) throw new Error(`the import ended with ${answer.slice(-500)}`);
  };
}

function post(agent: Agent, url: string, type: string, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent,
      headers: { 'Content-Type': type, 'Content-Length': body.length },
    }, (incoming) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
      incoming.on('end',
        () => (incoming.statusCode === 200
          ? resolve(Buffer.concat(parts).toString())
          : reject(new Error(`${url} answered ${incoming.statusCode}`))));
    });
    outgoing.on('error', reject).end(body);
  });
}

async function benchImport(folder: string): Promise<Row[]> {
  const files = await realCorpus();
  if (files.length === 0) return [];
  const bodies: string[] = [];
  for await (const body of realBodies()) bodies.push(body);
  const megabytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / 1e6;
  const plain = plainInserts(join(folder, 'plain.db'), bodies);
  const server = await startQuire(join(folder, 'import.db'));
  const begun = performance.now();
  for (const file of files)
    execFileSync(process.execPath, [join(ROOT, 'src/app/main.ts'), 'import', file, '--collection', 'mdn', '--url',
      server.url, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const seconds = (performance.now() - begun) / 1000;
  await server.stop();
  const stored = { documents: bodies.length / seconds, megabytes: megabytes / seconds };
  return [
    compare(`import of ${figure(bodies.length)} MDN pages`, stored.documents, 'plain SQLite inserts',
      bodies.length / plain, 'documents/s'),
    compare(`import of ${figure(megabytes)} MB of MDN`, stored.megabytes, 'plain SQLite inserts', megabytes / plain,
      'MB/s'),
  ];
}

/** Duration of plain inserts, in seconds. */
function plainInserts(file: string, bodies: readonly string[]): number {
  const begun = performance.now();
  const db = new DatabaseSync(file);
  db.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE documents(id INTEGER PRIMARY KEY, body TEXT)',
  );
  const insert = db.prepare('INSERT INTO documents(body) VALUES (?)');
  for (let i = 0; i < bodies.length; i += 200) {
    db.exec('BEGIN');
    for (const body of bodies.slice(i, i + 200)) insert.run(body);
    db.exec('COMMIT');
  }
  db.close();
  return (performance.now() - begun) / 1000;
}
