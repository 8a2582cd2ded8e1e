// `node lancedb-server.ts FOLDER DIMS`: a table of LanceDB behind HTTP. `/add?first=N` takes rows as bytes, `/build`
// builds the index, `/search` takes `{method, vector, where}` and returns row numbers.
import { connect, Index, type Table } from '@lancedb/lancedb';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { drawOf, DRAWS, K } from '../vectors/job.ts';
import { batchOf } from '../vectors/lancedb.ts';
import { valuesOf } from './peer.ts';

interface Search {
  readonly method: string;
  readonly vector: readonly number[];
  readonly where?: string;
}

const [folder, dimsText] = process.argv.slice(2) as [string, string];
const dims = Number(dimsText);
const db = await connect(folder);
let table: Table | undefined;

const server = createServer((request, response) => {
  answer(request).then((result) => {
    const body = Buffer.from(JSON.stringify(result));
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
  }, (error: unknown) => response.writeHead(500).end(String(error)));
}).listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

async function answer(request: IncomingMessage): Promise<unknown> {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  const body = await buffer(request);
  if (pathname === '/add') return add(body, Number(searchParams.get('first')));
  if (pathname === '/build') return build();
  return search(JSON.parse(body.toString()) as Search);
}

async function add(body: Buffer, first: number): Promise<object> {
  const batch = batchOf(new Float32Array(Uint8Array.from(body).buffer), first, dims, {
    tenth: (row) => valuesOf(drawOf(row) / DRAWS).tenth,
    hundredth: (row) => valuesOf(drawOf(row) / DRAWS).hundredth,
  });
  if (table === undefined) table = await db.createTable('rows', batch);
  else await table.add(batch);
  return {};
}

async function build(): Promise<object> {
  const config = Index.hnswSq({ distanceType: 'cosine', numPartitions: 1, m: 16, efConstruction: 200 });
  await table!.createIndex('vector', { config, replace: true });
  return {};
}

async function search({ method, vector, where }: Search): Promise<number[]> {
  const nearest = table!.query().nearestTo(Float32Array.from(vector)).distanceType('cosine').select(['id', '_distance'])
    .limit(K);
  const asked = method === 'flat' ? nearest.bypassVectorIndex() : nearest.nprobes(1).ef(100).refineFactor(3);
  return [...(await (where === undefined ? asked : asked.where(where)).toArrow()).getChild('id') ?? []] as number[];
}
