import type { FreeAnswer, FreeRequest } from './operations-page.tsx';
import type { Description } from './operations.ts';
import { session } from './session.ts';

/** The common part of the generated clients of both services. */
interface Caller {
  request(
    options: object,
  ): Promise<{ readonly response?: Response; readonly data?: unknown; readonly error?: unknown }>;
}

const SECURITY = [{ scheme: 'bearer', type: 'http' }, { name: 'X-API-Key', type: 'apiKey' }];

/** Longest response that is shown, in characters. */
const SHOWN = 200_000;

export async function readDescription(client: Caller): Promise<Description> {
  const { data } = await client.request({ method: 'GET', url: '/openapi.json' });
  if (data === undefined) throw new Error('the description of the service cannot be read');
  return data as Description;
}

/** Sends what the user typed through the generated client. */
export async function sendFreely(client: Caller, { body, ...request }: FreeRequest): Promise<FreeAnswer> {
  const begun = performance.now();
  const security = session.value === undefined ? [] : SECURITY;
  const { response, data, error } = await client.request({
    ...request,
    security,
    parseAs: 'text',
    ...(body !== undefined && { body, headers: { ...request.headers, 'Content-Type': 'application/json' } }),
  });
  const milliseconds = Math.round(performance.now() - begun);
  if (response === undefined) throw error instanceof Error ? error : new Error('the service cannot be reached');
  return { status: response.status, milliseconds, text: readable(data ?? error).slice(0, SHOWN) };
}

/**
 * JSON with line breaks, everything else unchanged. Errors were parsed before; a response without a body is an empty
 * object.
 */
function readable(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
