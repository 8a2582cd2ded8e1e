import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutbound } from '../../../net/index.ts';
import type { ForgeCall } from '../port.ts';
import { createCall } from './call.ts';

/** A request that a fake has received; `path` is without the query. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

export type FakeRoutes = Record<string, FakeAnswer | ((request: Received) => FakeAnswer)>;

/** A server on loopback that answers by `METHOD /path` and records what it was asked; 404 for everything else. */
export class FakeForge {
  readonly received: Received[] = [];
  readonly routes: FakeRoutes;
  readonly #server: Server;

  constructor(routes: FakeRoutes) {
    this.routes = routes;
    this.#server = createServer((request, response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const url = new URL(request.url!, 'http://fake');
        const received: Received = {
          method: request.method!,
          path: url.pathname,
          query: url.searchParams,
          headers: request.headers,
          body: chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
        };
        this.received.push(received);
        const route = this.routes[`${received.method} ${received.path}`] ??
          { status: 404, json: { message: 'Not Found' } };
        const { status = 200, headers = {}, json } = typeof route === 'function' ? route(received) : route;
        response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
        response.end(json === undefined ? '' : JSON.stringify(json));
      })();
    });
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `METHOD /path` of each request so far. */
  get lines(): string[] {
    return this.received.map(({ method, path }) => `${method} ${path}`);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Calls a fake through the outbound client, as the service does. */
export function callOf(fake: FakeForge): { readonly call: ForgeCall; close(): Promise<void> } {
  const outbound = createOutbound({ allowPrivate: 'false', allowlist: ['127.0.0.1'] });
  return {
    call: createCall({ outbound, base: fake.url, userAgent: 'quire-runs/test' }),
    close: () => outbound.close(),
  };
}
