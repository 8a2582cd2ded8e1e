import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request as bytes, so that the client's time is small compared with the server's. */
export type Prepared = Buffer;

/** Measurements of requests that were sent one at a time over each connection. */
export interface Sent {
  /** Milliseconds of each request that was answered with 200. */
  readonly times: readonly number[];
  /** Number of responses with any other status. */
  readonly refused: number;
  /** From the first measured request to the last response. */
  readonly seconds: number;
}

export function prepare(path: string, body?: object): Prepared {
  if (body === undefined) return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const text = JSON.stringify(body);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${
      Buffer.byteLength(text)
    }\r\n\r\n${text}`,
  );
}

/**
 * Sends the requests in turn for some seconds, after a warm-up of a fifth of that time; each connection starts at a
 * different position in the list. A function returns a new request for each call instead.
 */
export async function send(url: string, requests: readonly Prepared[] | (() => Prepared), connections: number,
  seconds: number): Promise<Sent>
{
  const requestOf = typeof requests === 'function' ? requests : (n: number) => requests[n % requests.length]!;
  const size = typeof requests === 'function' ? 0 : requests.length;
  const times: number[] = [];
  let refused = 0;
  const begin = performance.now() + seconds * 200;
  const end = begin + seconds * 1000;
  await Promise.all(Array.from({ length: connections }, async (_, connection) => {
    const wire = await Wire.open(url);
    let n = Math.floor((connection * size) / connections);
    for (let before = performance.now(); before < end; before = performance.now()) {
      const status = await wire.ask(requestOf(n++));
      if (before < begin) continue;
      if (status === 200) times.push(performance.now() - before);
      else refused += 1;
    }
    wire.close();
  }));
  return { times, refused, seconds: (performance.now() - begin) / 1000 };
}

/** As `send`; requests per second. Fails if any is answered with another status than 200. */
export async function sendsPerSecond(url: string, requests: readonly Prepared[] | (() => Prepared), connections: number,
  seconds: number): Promise<number>
{
  const { times, refused, seconds: took } = await send(url, requests, connections, seconds);
  if (refused > 0) throw new Error(`${refused} answers were not 200`);
  return times.length / took;
}

/** A kept-alive connection with one request in flight at a time. Responses must state their length. */
export class Wire {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #settle: { resolve(status: number): void; reject(reason: unknown): void } | undefined;
  /** Head and body of the last response. */
  head = '';
  body = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')));
  }

  static async open(url: string): Promise<Wire> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Wire(socket);
  }

  /** Resolves to the status. */
  ask(request: Prepared): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const head = this.#received.indexOf('\r\n\r\n');
    if (head < 0) return;
    this.head = this.#received.toString('latin1', 0, head);
    const length = /content-length: *(\d+)/i.exec(this.head)?.[1];
    if (length === undefined)
      return this.#settle?.reject(new Error(`an answer does not say its length:\n${this.head}`));
    const end = head + 4 + Number(length);
    if (this.#received.length < end) return;
    this.body = this.#received.toString('utf8', head + 4, end);
    this.#received = this.#received.subarray(end);
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.resolve(Number(this.head.slice(9, 12)));
  }
}
