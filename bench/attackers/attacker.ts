// The attackers of `attackers.ts`, a separate process: `node attacker.ts URL CONNECTIONS SECONDS` keeps that many
// connections busy, then prints the responses by kind and status as JSON. A connection that is closed is opened again.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Kind = 'slow body' | 'wrong items' | 'large body';

/** Number of responses by status; `closed` for connections that were closed without one. */
export type Outcome = Readonly<Record<Kind, Readonly<Record<string, number>>>>;

const WRONG_ITEMS = 100_000;
/** Just within `SVC_MAX_BODY_BYTES`. */
const LARGE_BYTES = 32 * 2 ** 20 - 1000;
const DRIP_MS = 100;
/** Milliseconds until a connection that was closed is opened again. */
const AGAIN_MS = 50;

const [url, connections, seconds] = process.argv.slice(2) as [string, string, string];
const { hostname, port } = new URL(url);
const until = performance.now() + Number(seconds) * 1000;

const wrongItems = batchOf(`[${'1,'.repeat(WRONG_ITEMS - 1)}1]`);
/** One document without its key. */
const largeBody = batchOf(`[{"lang":"en","contentMd":"${'x'.repeat(LARGE_BYTES)}"}]`);
const slowHead = headOf(1_000_000);

const outcome: Record<Kind, Record<string, number>> = { 'slow body': {}, 'wrong items': {}, 'large body': {} };
await Promise.all(Array.from({ length: Number(connections) }, (_, i) => attack(kindOf(i))));
process.stdout.write(JSON.stringify(outcome satisfies Outcome));
process.exit(0);

/** Of ten connections, six send slowly, three wrong items and one large bodies. */
function kindOf(i: number): Kind {
  if (i % 10 === 9) return 'large body';
  return i % 10 < 6 ? 'slow body' : 'wrong items';
}

function headOf(length: number): string {
  return `POST /v1/add-batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ` +
    `${length}\r\n\r\n`;
}

function batchOf(documents: string): string {
  const body = `{"collection":"attacked","documents":${documents}}`;
  return headOf(body.length) + body;
}

async function attack(kind: Kind): Promise<void> {
  while (performance.now() < until) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const end = setTimeout(() => socket.destroy(), until - performance.now());
    await (kind === 'slow body' ? drip(socket) : repeat(socket, kind, kind === 'wrong items' ? wrongItems : largeBody));
    clearTimeout(end);
    await sleep(AGAIN_MS);
  }
}

/** A byte now and then, until the server closes the connection. */
async function drip(socket: Socket): Promise<void> {
  socket.write(slowHead);
  const timer = setInterval(() => socket.write(' '), DRIP_MS);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  await closed(socket);
  clearInterval(timer);
  if (performance.now() < until || text !== '') count('slow body', statusOf(text));
}

/** One request after the other over one connection. */
async function repeat(socket: Socket, kind: Kind, request: string): Promise<void> {
  socket.on('data', (chunk: Buffer) => {
    const status = statusOf(chunk.toString('latin1'));
    if (status === 'closed') return;
    count(kind, status);
    socket.write(request);
  });
  socket.write(request);
  await closed(socket);
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close').catch(() => undefined);
}

function statusOf(text: string): string {
  return /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 'closed';
}

function count(kind: Kind, status: string): void {
  outcome[kind][status] = (outcome[kind][status] ?? 0) + 1;
}
