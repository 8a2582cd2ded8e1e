// Memory of the server with 100,000 documents of about 1.7 KB, and the time until it is ready after
// a restart, compared with the text that it stores and with an empty server.
import { join } from 'node:path';
import { prose, seeded } from './support/corpus.ts';
import { memoryOf, startQuire } from './support/server.ts';
import { compare, type Row } from './support/table.ts';

const DOCUMENTS = 100_000;
const BATCH = 500;
const BYTES = 1700;

export async function benchMemory(folder: string): Promise<Row[]> {
  const database = join(folder, 'memory.db');
  const first = await startQuire(database);
  const empty = memoryOf(first.pid).now;
  const bytes = await fill(first.url);
  const { now, peak } = memoryOf(first.pid);
  await first.stop();
  const second = await startQuire(database);
  await fetch(`${second.url}/v1/stats`);
  const restarted = memoryOf(second.pid).now;
  await second.stop();
  const mb = (value: number) => value / 1e6;
  return [
    compare(`memory after writing ${DOCUMENTS.toLocaleString('en-US')} documents`, mb(now), 'text stored', mb(bytes),
      'MB'),
    compare('its peak while writing', mb(peak), 'text stored', mb(bytes), 'MB'),
    compare('memory after a restart', mb(restarted), 'memory of an empty server', mb(empty), 'MB'),
    compare('ready after a restart', second.readyMs, 'ready with an empty database', first.readyMs, 'ms'),
  ];
}

async function fill(url: string): Promise<number> {
  const random = seeded(42);
  let bytes = 0;
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    const documents = Array.from({ length: BATCH }, (_, i) => {
      const contentMd = prose(random, BYTES);
      bytes += contentMd.length;
      return {
        key: `doc-${from + i}`,
        lang: 'en',
        meta: { category: [`c${(from + i) % 20}`], tags: [`t${(from + i) % 100}`] },
        contentMd,
      };
    });
    const response = await fetch(`${url}/v1/add-batch`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ collection: 'bench', documents }),
    });
    if (!response.ok) throw new Error(`add-batch answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
  return bytes;
}
