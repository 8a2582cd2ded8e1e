import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startScript } from '../../support/server.ts';
import { prepare } from '../../support/wire.ts';
import { FIELDS, type HttpPeer } from './peer.ts';

const INSTALLED = join(import.meta.dirname, '..', '..', 'node_modules', '@lancedb', 'lancedb', 'package.json');

/** A library, behind a plain server of node:http. */
export const lanceDb: HttpPeer = {
  name: 'LanceDB',
  note:
    'its library behind a server of node:http; rows in batches of bytes, the index built once behind them; refines ' +
    '3 candidates for each result of IVF_HNSW_SQ (one partition, M 16, efConstruction 200, ef 100)',
  methods: ['IVF_HNSW_SQ', 'flat'],
  missing: () => (existsSync(INSTALLED) ? undefined : 'is not installed: run `npm ci` in bench/'),
  async start(folder, dims) {
    const { url, pid, stop } = await startScript(join(import.meta.dirname, 'lancedb-server.ts'), folder, String(dims));
    const post = async (path: string, body: Uint8Array): Promise<void> => {
      const answer = await fetch(`${url}${path}`, { method: 'POST', body: body as Uint8Array<ArrayBuffer> });
      if (!answer.ok) throw new Error(`LanceDB answered ${answer.status}: ${await answer.text()}`);
    };
    return {
      url,
      pid,
      add: (rows, first) => post(`/add?first=${first}`, new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength)),
      build: () => post('/build', new Uint8Array()),
      request: (method, query, share) =>
        prepare('/search', {
          method,
          vector: [...query],
          ...(share !== 1 && { where: `${FIELDS[share]} = 0` }),
        }),
      rowsOf: (body) => JSON.parse(body) as number[],
      stop,
    };
  },
};
