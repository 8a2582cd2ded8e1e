import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** One response, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body as text. */
  readonly text: string;
  /** The body as JSON; throws if it is not JSON. */
  json<T = unknown>(): T;
}

export interface RequestParts {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Sends requests exactly as given: unlike `fetch`, it neither normalises paths nor corrects bodies, so that a test can
 * send what well-behaved clients would not. Connections are kept alive.
 */
export class HttpClient {
  readonly #base: URL;
  readonly #agent: Agent;

  constructor(url: string, maxSockets = 16) {
    this.#base = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets });
  }

  /** Rejects if the connection breaks before the response is complete; nothing is known about the request then. */
  send(method: string, path: string, parts: RequestParts = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#base;
      const outgoing = request({
        hostname,
        port,
        method,
        path,
        agent: this.#agent,
        headers: { ...parts.headers, ...lengthOf(parts.body) },
      });
      outgoing.once('error', reject);
      outgoing.once('response', (incoming) => void readAnswer(incoming).then(resolve, reject));
      outgoing.end(parts.body);
    });
  }

  /** Sends a value as JSON. */
  post(path: string, value: unknown, method = 'POST'): Promise<Answer> {
    return this.send(method, path, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  close(): void {
    this.#agent.destroy();
  }
}

function lengthOf(body: RequestParts['body']): Record<string, string> {
  return body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
}

async function readAnswer(incoming: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  if (!incoming.complete) throw new Error('the response broke off');
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString('utf8');
  return { status: incoming.statusCode!, headers: incoming.headers, bytes, text, json: <T>() => JSON.parse(text) as T };
}
