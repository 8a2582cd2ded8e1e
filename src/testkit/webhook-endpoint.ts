import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedBody {
  readonly event: string;
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly collection: string;
  readonly key: string;
  readonly docId: string;
  readonly timestamp: number;
  readonly document?: { readonly contentMd: string; readonly meta: Readonly<Record<string, readonly string[]>> } | null;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: ReceivedBody;
}

/** How a request is answered; by default with 204. */
export type Answer = (received: Received, response: ServerResponse) => void;

/** A webhook endpoint that records its requests. */
export class WebhookEndpoint {
  readonly received: Received[] = [];
  answer: Answer = (_, response) => response.writeHead(204).end();
  readonly #server: Server;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const received = {
          path: request.url ?? '',
          headers: request.headers,
          text,
          body: (text === '' ? {} : JSON.parse(text)) as ReceivedBody,
        };
        this.received.push(received);
        this.answer(received, response);
        this.#waiting = this.#waiting.filter(({ count, resolve }) => this.received.length < count || resolve());
      });
    });
  }

  static async open(port = 0): Promise<WebhookEndpoint> {
    const endpoint = new WebhookEndpoint();
    endpoint.#server.listen(port, '127.0.0.1');
    await once(endpoint.#server, 'listening');
    endpoint.#port = (endpoint.#server.address() as AddressInfo).port;
    return endpoint;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  /** Resolves when this many requests have been received, including earlier ones. */
  async until(count: number): Promise<readonly Received[]> {
    if (this.received.length < count) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
    return this.received;
  }

  /** Disconnects all clients. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
