import { type Outbound, RefusedRequest } from '../../../net/index.ts';
import { type ForgeAnswer, type ForgeCall, ForgeError, type ForgeRequest } from '../port.ts';

/** Most bytes of a response: 100 issues or comments, each of which GitHub limits to 65,536 characters. */
const MAX_BYTES = 16 * 2 ** 20;
const TIMEOUT_MS = 20_000;

export interface CallOptions {
  readonly outbound: Pick<Outbound, 'fetch'>;
  /** Address of the API without a slash at its end. */
  readonly base: string;
  readonly userAgent: string;
}

/**
 * Calls the API of one forge. Redirects are not followed, because they would carry the token elsewhere; forges answer
 * with one for a repository that was renamed. Rejects with `ForgeError` if there is no complete response.
 */
export function createCall({ outbound, base, userAgent }: CallOptions): ForgeCall {
  const fetch = outbound.fetch({ maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });
  return async ({ method, path, headers, body }: ForgeRequest): Promise<ForgeAnswer> => {
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          'Accept': 'application/json',
          'User-Agent': userAgent,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, headers: Object.fromEntries(response.headers), json: parsed(text) };
    } catch (error) {
      throw unreachable(error, base);
    }
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Messages name the host that is configured, and neither the token nor a resolved address. */
function unreachable(error: unknown, base: string): ForgeError {
  const refusal = [error, (error as Error).cause].find((each) => each instanceof RefusedRequest);
  if (refusal !== undefined) return new ForgeError(refusal.message, { isLasting: refusal.rule !== 'time' });
  const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
  return new ForgeError(`${new URL(base).host} cannot be reached${code === undefined ? '' : ` (${code})`}`, {
    isLasting: false,
  });
}
