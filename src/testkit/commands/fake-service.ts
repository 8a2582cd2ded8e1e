import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The parsed JSON body, empty if absent; for a form, its text fields in `form`. */
  readonly body: Record<string, unknown> & { documents?: Array<Record<string, unknown>>; form?: string };
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** JSON, or text that is sent unchanged. */
  readonly body?: unknown;
  /** Cuts the connection after the body instead of ending the response. */
  readonly cut?: boolean;
}

export interface FakeService {
  readonly url: string;
  /** Every request except health checks, in order. */
  readonly requests: FakeRequest[];
  close(): Promise<void>;
}

type Respond = (request: FakeRequest, index: number) => FakeAnswer | Promise<FakeAnswer>;

/**
 * A real HTTP server on loopback that responds like the document service: as `respond` says, which by default stores
 * every batch. `index` counts requests from 0, without health checks.
 */
export async function startFakeService(respond: Respond = storeAll): Promise<FakeService> {
  const requests: FakeRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void readBody(incoming).then(async (text) => {
      if (incoming.url === '/health') return send(outgoing, { body: { status: 'healthy' } });
      const request = { path: incoming.url ?? '', headers: incoming.headers, body: bodyOf(incoming, text) };
      requests.push(request);
      return send(outgoing, await respond(request, requests.length - 1));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function bodyOf({ headers }: IncomingMessage, text: string): FakeRequest['body'] {
  if (headers['content-type']?.startsWith('multipart/form-data')) return { form: text };
  return text === '' ? {} : JSON.parse(text) as FakeRequest['body'];
}

/** The response to a batch, or to a file, all of whose documents are new. */
export function storeAll({ path, body }: FakeRequest): FakeAnswer {
  if (path === '/v1/upload')
    return {
      body: {
        key: 'k',
        format: 'txt',
        converted: false,
        profile: 'default',
        document: { id: 'c|k|en', key: 'k', lang: 'en', addedAt: 1, updatedAt: 1 },
      },
    };
  return { body: { added: body.documents?.length ?? 0, updated: 0, skipped: 0, failed: 0, errors: [] } };
}

function send(outgoing: ServerResponse, { status = 200, headers = {}, body = {}, cut = false }: FakeAnswer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  outgoing.writeHead(status, {
    'Content-Type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json',
    ...headers,
  });
  if (cut) outgoing.write(text, () => outgoing.destroy());
  else outgoing.end(text);
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
