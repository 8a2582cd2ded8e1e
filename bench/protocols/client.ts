// The clients, in a separate process: `fork` it with the `Targets` as JSON; it answers each `Order` with its result.
import { clientOf } from '../support/client.ts';
import { type Caller, PROTOCOLS } from './callers.ts';
import { type Crowd, crowdOfSessions, crowdOfWatchers } from './crowd.ts';
import { paceOf } from './pace.ts';
import { PAGE } from './page.ts';
import type { Targets } from './server.ts';

export type Order = { readonly do: 'pace'; readonly protocol: string; readonly clients: number;
  readonly seconds: number } | { readonly do: 'open'; readonly crowd: 'sessions' | 'watchers'; readonly count: number }
  | { readonly do: 'write'; readonly documents: number; readonly events: number } | { readonly do: 'close' };

const targets = JSON.parse(process.argv[2]!) as Targets;
const rest = clientOf(targets.http);
/** Connections are kept between rounds. */
const open = new Map<string, Caller[]>();
let crowd: Crowd | undefined;

await rest.post('/v1/add', PAGE);
process.on('message',
  (order: Order) =>
    void carryOut(order).then((result) => process.send!({ result }), (error: Error) =>
      process.send!({ error: error.stack })));
process.send!('ready');

async function carryOut(order: Order): Promise<unknown> {
  switch (order.do) {
    case 'pace':
      return paceOf((await callersOf(order.protocol, order.clients)).map(({ call }) => call), order.seconds);
    case 'open':
      return openCrowd(order.crowd, order.count);
    case 'write':
      return write(order.documents, order.events);
    case 'close':
      return crowd?.close();
  }
}

async function callersOf(protocol: string, count: number): Promise<readonly Caller[]> {
  const known = open.get(protocol) ?? [];
  open.set(protocol, known);
  while (known.length < count) known.push(await PROTOCOLS[protocol]!(targets));
  return known.slice(0, count);
}

async function openCrowd(kind: 'sessions' | 'watchers', count: number): Promise<void> {
  crowd = await (kind === 'sessions' ? crowdOfSessions : crowdOfWatchers)(targets, count);
}

/** Writes documents one at a time, and waits until all clients have received all events; returns the seconds. */
async function write(documents: number, events: number): Promise<number> {
  const begun = performance.now();
  for (let i = 0; i < documents; i++) await rest.post('/v1/add', { ...PAGE, key: `watched ${i}` });
  while (crowd!.received() < events) await new Promise((resolve) => setTimeout(resolve, 1));
  return (performance.now() - begun) / 1000;
}
