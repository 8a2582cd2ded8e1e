import { RefusedRequest } from '../lib/refused-request.ts';

/** One request of a chain of redirects. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: RequestInit['body'];
}

/** The only headers that are sent to another origin: any other may be a credential, whatever its name. */
const HARMLESS = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The redirect target of a response with this status (Fetch standard, "HTTP-redirect fetch"); undefined if it is not a
 * redirect.
 */
export function nextHop(hop: Hop, status: number, location: string | null): Hop | undefined {
  if (!REDIRECTS.has(status) || location === null) return undefined;
  const url = URL.parse(location, hop.url);
  if (url === null) throw new RefusedRequest('redirect', 'the response redirects to what is no URL');
  const headers = new Headers(hop.headers);
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status <= 302 && hop.method === 'POST';
  if (!becomesGet && hop.body instanceof ReadableStream)
    throw new RefusedRequest('redirect', 'the response redirects a body that cannot be sent again');
  if (becomesGet) headers.delete('content-type');
  if (url.origin !== hop.url.origin) {
    for (const name of [...headers.keys()].filter((each) => !HARMLESS.has(each))) headers.delete(name);
  }
  return becomesGet ? { url, headers, method: 'GET', body: null } : { ...hop, url, headers };
}
