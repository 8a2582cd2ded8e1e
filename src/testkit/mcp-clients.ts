import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { STATELESS } from '../api/mcp/index.ts';
import type { DocsServer } from './docs-server.ts';
import { type Answer, HttpClient } from './http-client.ts';

/** Address at which a test's server serves MCP: `http://127.0.0.1:PORT/mcp`. */
export function mcpUrl(server: DocsServer): URL {
  return new URL(server.listeners.mcp!.url);
}

export interface ConnectedClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

/**
 * A client compiles the schemas of all tools each time when it lists them, and tests have many clients of the same
 * tools.
 */
class SharedValidators implements jsonSchemaValidator {
  readonly #ajv = new AjvJsonSchemaValidator();
  readonly #known = new Map<string, JsonSchemaValidator<unknown>>();

  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const text = JSON.stringify(schema);
    const validator = this.#known.get(text) ?? this.#ajv.getValidator(schema);
    this.#known.set(text, validator);
    return validator as JsonSchemaValidator<T>;
  }
}
const OPTIONS = { jsonSchemaValidator: new SharedValidators() };

/** The SDK's client for the revision with sessions, connected. */
export async function connectHandshake(url: URL, headers: Record<string, string> = {}): Promise<ConnectedClient> {
  const client = new Client({ name: 'test', version: '1' }, OPTIONS);
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  await client.connect(transport as Transport);
  return { client, transport };
}

/** The SDK's client for the transport before Streamable HTTP, connected. */
export async function connectSse(url: URL, path = '/sse'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, OPTIONS);
  await client.connect(new SSEClientTransport(new URL(path, url)) as Transport);
  return client;
}

export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

/** Parts of a request of the revision without sessions that a test overrides; undefined leaves a header out. */
export interface Otherwise {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly meta?: object;
  readonly id?: string | number;
}

/** A JSON-RPC response, in whatever form it arrived. */
export interface RpcAnswer {
  readonly status: number;
  readonly headers: Answer['headers'];
  readonly messages: readonly { id?: unknown; method?: string; params?: Record<string, unknown>;
    result?: Record<string, unknown>; error?: { code: number; message: string; data?: Record<string, unknown> } }[];
  /** The last message, which is the response. */
  readonly answer: RpcAnswer['messages'][number];
}

/** Requests of the revision without sessions, built by hand, so that each part can be wrong. */
export class RawClient {
  readonly #http: HttpClient;

  constructor(url: URL) {
    this.#http = new HttpClient(url.origin, 64);
  }

  async stateless(method: string, params: Readonly<Record<string, unknown>> = {},
    otherwise: Otherwise = {}): Promise<RpcAnswer>
  {
    const name = params['name'] ?? params['uri'];
    const headers = {
      'MCP-Protocol-Version': STATELESS,
      'Mcp-Method': method,
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
      ...otherwise.headers,
    };
    return this.post({
      jsonrpc: '2.0',
      id: otherwise.id ?? 1,
      method,
      params: { ...params, _meta: otherwise.meta ?? ENVELOPE },
    }, headers);
  }

  /** Posts any body to /mcp. */
  async post(body: unknown, headers: Readonly<Record<string, string | undefined>> = {},
    path = '/mcp'): Promise<RpcAnswer>
  {
    const all = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers };
    const kept = Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return toAnswer(await this.#http.send('POST', path, {
      headers: kept,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }));
  }

  async send(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<RpcAnswer> {
    return toAnswer(await this.#http.send(method, path, { headers }));
  }

  close(): void {
    this.#http.close();
  }
}

/** A request of the revision with sessions that opens a session. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function toAnswer({ status, headers, text }: Answer): RpcAnswer {
  const events = (headers['content-type'] ?? '').startsWith('text/event-stream')
    ? text.split('\n\n').flatMap((event) => /^data: (.+)$/m.exec(event)?.[1] ?? [])
    : [text].filter((body) => body.startsWith('{'));
  const messages = events.map((event) => JSON.parse(event) as RpcAnswer['messages'][number]);
  return { status, headers, messages, answer: messages.at(-1) ?? {} };
}
