import type { OpenSpan, SpanStart } from '../lib/tracing.ts';

/**
 * The span of a request to another server, by the semantic conventions for HTTP clients, without secrets from its URL.
 */
export function outgoingSpan(method: string, { protocol, hostname, port }: URL): SpanStart {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return {
    name: method,
    kind: 'client',
    attributes: {
      'http.request.method': method,
      'url.scheme': protocol.slice(0, -1),
      'server.address': hostname,
      'server.port': port === '' ? defaultPort : Number(port),
    },
  };
}

/** A response with an error status marks the span as failed. */
export function recordStatus(span: OpenSpan, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 400) span.fail(`status ${status}`);
}
