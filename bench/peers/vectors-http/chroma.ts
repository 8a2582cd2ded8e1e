import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../../src/testkit/free-port.ts';
import { buildWithPip, type Built } from '../../support/pip.ts';
import { prepare } from '../../support/wire.ts';
import { drawOf, DRAWS, K } from '../vectors/job.ts';
import { base64Of, FIELDS, type HttpPeer, valuesOf } from './peer.ts';

const PACKAGE = 'chromadb==1.5.9';
const START_SECONDS = 60;

let built: Built | undefined;
const chromaProgram = (): Built => built ??= buildWithPip(PACKAGE, 'chroma');

/** Its own server, with a collection as its documentation makes one. */
export const chroma: HttpPeer = {
  name: 'Chroma',
  note: `${PACKAGE} by its own server, \`chroma run\`; vectors in base64; M 16, efConstruction 200, ef 100`,
  methods: ['hnsw'],
  missing: () => {
    const program = chromaProgram();
    return 'reason' in program ? program.reason : undefined;
  },
  async start(folder, dims) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const { program } = chromaProgram() as { program: string };
    const child = spawn(program, ['run', '--path', folder, '--host', '127.0.0.1', '--port', String(port)], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ANONYMIZED_TELEMETRY: 'False' },
    });
    const leave = () => child.kill('SIGKILL');
    process.once('exit', leave);
    await answering(`${url}/api/v2/heartbeat`);
    const collections = '/api/v2/tenants/default_tenant/databases/default_database/collections';
    const post = async <T>(path: string, body: object): Promise<T> => {
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`Chroma answered ${answer.status}: ${text.slice(0, 500)}`);
      return JSON.parse(text) as T;
    };
    const { id } = await post<{ id: string }>(collections, {
      name: 'rows',
      configuration: { hnsw: { space: 'cosine', max_neighbors: 16, ef_construction: 200, ef_search: 100 } },
    });
    const queryPath = `${collections}/${id}/query`;
    const bodyOf = (query: Float32Array): object => ({ query_embeddings: [[...query]], n_results: K, include: [] });
    return {
      url,
      pid: child.pid!,
      async add(rows, first) {
        const numbers = Array.from({ length: rows.length / dims }, (_, i) => i);
        await post(`${collections}/${id}/add`, {
          ids: numbers.map((i) => String(first + i)),
          embeddings: numbers.map((i) => base64Of(rows.subarray(i * dims, (i + 1) * dims))),
          metadatas: numbers.map((i) => valuesOf(drawOf(first + i) / DRAWS)),
        });
      },
      // What was written since the last search is put into the graph by the next one.
      build: async () => void await post(queryPath, bodyOf(new Float32Array(dims).fill(1))),
      request: (_method, query, share) =>
        prepare(queryPath, { ...bodyOf(query), ...(share !== 1 && { where: { [FIELDS[share]]: 0 } }) }),
      rowsOf: (body) => (JSON.parse(body) as { ids: string[][] }).ids[0]!.map(Number),
      async stop() {
        process.off('exit', leave);
        child.kill('SIGTERM');
        await once(child, 'exit');
      },
    };
  },
};

async function answering(url: string): Promise<void> {
  for (const end = performance.now() + START_SECONDS * 1000; performance.now() < end; await setTimeout(100))
    if (await fetch(url).then(({ ok }) => ok, () => false)) return;
  throw new Error(`nothing answers at ${url} within ${START_SECONDS} s`);
}
