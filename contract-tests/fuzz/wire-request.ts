import type { Answer, HttpClient } from '../../src/testkit/http-client.ts';
import type { ExampleCall } from '../support/examples.ts';

/** A request as it is sent over the wire. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  /** Pairs of the query, already encoded. */
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** Absent if the operation accepts none. */
  readonly body?: string | Uint8Array;
  /** The expected outcome without looking at the body: `bad` requests must be rejected. */
  readonly verdict: 'as its body' | 'bad' | 'unknown';
}

/** The specification's own example of an operation. */
export function exampleRequest({ method, path, options }: ExampleCall): WireRequest {
  const filled = path.replace(/\{(\w+)\}/g,
    (_, name: string) => encodeURIComponent(String(options.path?.[name] ?? 'example')));
  const query = Object.entries(options.query ?? {}).map(([name, value]) =>
    [encode(name), encode(String(value))] as const
  );
  return { method: method.toUpperCase(), path: filled, query, headers: {}, verdict: 'unknown' };
}

export function sendWire(client: HttpClient, request: WireRequest): Promise<Answer> {
  const query = request.query.map(([name, value]) => `${name}=${value}`).join('&');
  const path = query === '' ? request.path : `${request.path}?${query}`;
  const type: Record<string, string> = request.body === undefined ? {} : { 'Content-Type': 'application/json' };
  const headers = Object.fromEntries(
    Object.entries({ ...type, ...request.headers }).filter(([, value]) => value !== ''),
  );
  return client.send(request.method, path, { headers, ...(request.body === undefined ? {} : { body: request.body }) });
}

/** Percent-encodes any text; lone surrogates become their three bytes, which are not valid UTF-8. */
export function encode(text: string): string {
  const one = (character: string) =>
    character.isWellFormed()
      ? encodeURIComponent(character)
      : [...surrogateBytes(character)].map((byte) => `%${byte.toString(16)}`).join('');
  return [...text].map(one).join('');
}

function surrogateBytes(character: string): number[] {
  const unit = character.charCodeAt(0);
  return [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
}
