// Webhooks: deliveries per second to one endpoint of this machine, 64 at a time, from the backlog of a webhook that is
// resumed, compared with plain posts of bodies of the same size by the same client to the same endpoint. Documents of
// 1,000 bytes. Triggers: the cost of 10,000 triggers for a write.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createOutbound, poster } from '../src/net/index.ts';
import type { Arrivals } from './events/endpoint.ts';
import { benchTriggers } from './events/triggers.ts';
import { startDocsChild } from './support/docs-child.ts';
import { scaled } from './support/scale.ts';
import { compare, comparisons, median, type Section } from './support/table.ts';

const DELIVERIES = Math.round(scaled(20_000, 1000));
const ROUNDS = 3;
const IN_FLIGHT = 64;
const BATCH = 500;
const BODY = 'words of a document. '.repeat(48);

interface Endpoint {
  readonly url: string;
  /** Resolves with the deliveries per second when this many have arrived since the last call. */
  rate(count: number): Promise<number>;
  stop(): void;
}

async function startEndpoint(): Promise<Endpoint> {
  const child = fork(join(import.meta.dirname, 'events', 'endpoint.ts'));
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    async rate(count) {
      const sum = { count: 0, first: Infinity, last: 0 };
      while (sum.count < count) {
        await setTimeout(20);
        child.send('arrivals');
        const [arrivals] = (await once(child, 'message')) as [Arrivals];
        if (arrivals.count === 0) continue;
        sum.count += arrivals.count;
        sum.first = Math.min(sum.first, arrivals.first);
        sum.last = arrivals.last;
      }
      return (sum.count / (sum.last - sum.first)) * 1000;
    },
    stop: () => child.disconnect(),
  };
}

async function call<T>(url: string, body: object): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Plain posts, as fast as possible. */
async function plainRate(endpoint: Endpoint): Promise<number> {
  const outbound = createOutbound({ allowPrivate: 'loopback', allowlist: [] });
  const post = poster(outbound);
  const body = new TextEncoder().encode(JSON.stringify({ contentMd: BODY, filler: 'x'.repeat(400) }));
  const signal = new AbortController().signal;
  let left = DELIVERIES;
  const client = async (): Promise<void> => {
    while (left-- > 0) await post({ url: endpoint.url, headers: { 'Content-Type': 'application/json' }, body }, signal);
  };
  const rate = endpoint.rate(DELIVERIES);
  await Promise.all(Array.from({ length: IN_FLIGHT }, client));
  await outbound.close();
  return rate;
}

export async function benchEvents(folder: string): Promise<Section[]> {
  const endpoint = await startEndpoint();
  const server = await startDocsChild(join(folder, 'events.db'));
  const { id } = await call<{ id: string }>(`${server.url}/v1/webhooks`, {
    url: endpoint.url,
    events: ['*'],
    secret: 'a secret of the bench',
  });
  const [delivered, plain]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    await call(`${server.url}/v1/webhooks/update`, { id, paused: true });
    for (let i = 0; i < DELIVERIES; i += BATCH) {
      const documents = Array.from({ length: Math.min(BATCH, DELIVERIES - i) },
        (_, j) => ({ key: `k${i + j}`, lang: 'en', contentMd: `${round} ${BODY}` }));
      await call(`${server.url}/v1/ingest`, {
        collection: 'bench',
        documents,
        options: { skipFts: true, saveRevision: false },
      });
    }
    await call(`${server.url}/v1/webhooks/update`, { id, paused: false });
    delivered.push(await endpoint.rate(DELIVERIES));
    plain.push(await plainRate(endpoint));
  }
  await server.stop();
  endpoint.stop();
  const best = median(delivered);
  const triggers = await benchTriggers(folder);
  return [
    comparisons('Webhooks', [
      compare(`deliveries to one endpoint, ${IN_FLIGHT} in flight`, best, 'plain posts of the same size', median(plain),
        '/s'),
      compare(`deliveries to one endpoint, ${IN_FLIGHT} in flight`, best, 'target', 3000, '/s'),
    ], [
      'Loss and order under SIGKILL of server and endpoint: `QUIRE_WEBHOOK_ROUNDS=20 npx vitest run ' +
      'contract-tests/faults/docs/webhooks.test.ts`.',
    ]),
    comparisons('Triggers', [triggers.row], [triggers.note]),
  ];
}
