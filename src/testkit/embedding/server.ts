import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Behaviour, misbehave } from './behaviour.ts';
import { wordVector } from './word-vector.ts';

export interface EmbeddingServerOptions {
  /** Size of the vectors if a request does not specify one; 8 if absent. */
  readonly dimensions?: number;
  /** The key without which the hosted formats respond with 401; any key if absent. */
  readonly key?: string;
  /** Supports only Ollama's older format, with one text per request. */
  readonly oldOllama?: boolean;
  /** Behaviours for the next requests, in order; see `next`. */
  readonly script?: readonly Behaviour[];
}

/** A request as the server received it. */
export interface EmbeddingRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  /** The texts to embed, including prefixes. */
  readonly texts: readonly string[];
}

/** An embedding server on the loopback interface that supports the formats of OpenAI, Voyage and Ollama. */
export interface EmbeddingServer {
  /** Base URL of every format; the hosted ones are also served under `/v1`. */
  readonly url: string;
  /** All requests so far, including those that met a fault. */
  readonly requests: readonly EmbeddingRequest[];
  /** Adds behaviours for the next requests, one each, after those already queued; all other requests succeed. */
  next(...behaviours: readonly Behaviour[]): void;
  /** Resolves when this many requests have arrived in total. */
  arrived(count: number): Promise<void>;
  /** The vector that it returns for a text. */
  vectorOf(text: string): number[];
  stop(): Promise<void>;
}

export async function startEmbeddingServer(options: EmbeddingServerOptions = {}): Promise<EmbeddingServer> {
  const site = new Site(options);
  const server = createServer((request, response) => void site.serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: site.requests,
    next: (...behaviours) => void site.script.push(...behaviours),
    arrived: (count) => site.arrived(count),
    vectorOf: (text) => wordVector(text, options.dimensions ?? 8),
    stop: () => stop(server),
  };
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

class Site {
  readonly requests: EmbeddingRequest[] = [];
  readonly script: Behaviour[];
  readonly #options: EmbeddingServerOptions;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(options: EmbeddingServerOptions) {
    this.#options = options;
    this.script = [...(options.script ?? [])];
  }

  arrived(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve });
      this.#wake();
    });
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    this.requests.push(request);
    this.#wake();
    const behaviour = this.script.shift();
    const { status, body } = this.#answer(request);
    if (behaviour !== undefined && behaviour !== 'well') return misbehave(response, behaviour, body);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }

  #wake(): void {
    const due = this.#waiting.filter(({ count }) => this.requests.length >= count);
    this.#waiting = this.#waiting.filter((each) => !due.includes(each));
    for (const { resolve } of due) resolve();
  }

  #answer(request: EmbeddingRequest): { status: number; body: object } {
    const { path, headers, texts, body } = request;
    const { key, dimensions = 8, oldOllama = false } = this.#options;
    const vectors = texts.map((text) =>
      wordVector(text, typeof body['dimensions'] === 'number' ? body['dimensions'] : dimensions)
    );
    if (/^(?:\/v1)?\/embeddings$/.test(path)) {
      if (key !== undefined && headers.authorization !== `Bearer ${key}`) {
        return {
          status: 401,
          body: {
            error: { message: `Incorrect API key provided: ${headers.authorization}`, type: 'invalid_request_error' },
          },
        };
      }
      const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
      return {
        status: 200,
        body: { object: 'list', data, model: body['model'], usage: { total_tokens: texts.length } },
      };
    }
    if (path === '/api/embed' && !oldOllama)
      return { status: 200, body: { model: body['model'], embeddings: vectors } };
    if (path === '/api/embeddings') return { status: 200, body: { embedding: vectors[0] } };
    return { status: 404, body: { error: 'page not found' } };
  }
}

async function readRequest(incoming: IncomingMessage): Promise<EmbeddingRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Record<string, unknown>;
  const input = body['input'] ?? body['prompt'] ?? [];
  return {
    path: incoming.url!.split('?')[0]!,
    headers: incoming.headers,
    body,
    texts: (Array.isArray(input) ? input : [input]) as string[],
  };
}
