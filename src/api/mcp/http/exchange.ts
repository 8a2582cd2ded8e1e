import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdOf, SECURITY_HEADERS, STRICT_TRANSPORT } from '../../../lib/headers.ts';
import type { ReadAddress } from '../../../lib/trusted-proxies.ts';
import type { CarriedSender } from '../core/call-context.ts';

/** A request of Node, with the value that the SDKs pass on to the handlers. */
export type McpRequest = IncomingMessage & { auth?: CarriedSender };

/** One HTTP request and its response. */
export interface Exchange {
  readonly request: McpRequest;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly requestId: string;
  readonly ip: string;
}

/** Begins a response: its request id and the headers of all responses. Returns undefined if the URL is not valid. */
export function openExchange(request: McpRequest, response: ServerResponse, readAddress: ReadAddress): Exchange
  | undefined
{
  const requestId = requestIdOf(request.headers['x-request-id']);
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
  if ('encrypted' in request.socket) response.setHeader(...STRICT_TRANSPORT);
  response.setHeader('X-Request-Id', requestId);
  const url = URL.parse(request.url ?? '', 'http://localhost');
  if (url === null) return undefined;
  const forwarded = request.headers['x-forwarded-for'] as string | undefined;
  return { request, response, url, requestId, ip: readAddress(request.socket.remoteAddress, forwarded) ?? '' };
}

/** Sends a response that is one JSON text. */
export function sendJson(response: ServerResponse, status: number, value: unknown,
  headers: Readonly<Record<string, string>> = {}): void
{
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(value);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** An error that rejects a request before it reaches a session. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** Id of the JSON-RPC request, if one was read. */
  readonly id: string | number | null;

  constructor(status: number, code: number, message: string,
    more: { headers?: Readonly<Record<string, string>>; data?: Readonly<Record<string, unknown>>; id?: unknown } = {})
  {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.headers = more.headers ?? {};
    this.data = more.data;
    this.id = typeof more.id === 'string' || typeof more.id === 'number' ? more.id : null;
  }
}

/** The body of every error: JSON-RPC, even if no request could be read. */
export function sendRefusal(response: ServerResponse, { status, code, message, headers, data, id }: Refusal): void {
  sendJson(response, status, { jsonrpc: '2.0', error: { code, message, ...(data === undefined ? {} : { data }) }, id },
    headers);
}
