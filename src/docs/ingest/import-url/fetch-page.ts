import { ServiceError } from '../../../errors/index.ts';
import { type Outbound, RefusedRequest } from '../../../net/index.ts';

/** The validators that a server sent with a version of a page, for conditional requests. */
export interface Validators {
  readonly etag?: string | undefined;
  readonly modified?: string | undefined;
}

export interface Page extends Validators {
  readonly bytes: Uint8Array;
  /** As the server sent it; empty if it did not. */
  readonly contentType: string;
  /** The URL after redirects. */
  readonly url: string;
}

/** Few, because the server waits for a stranger. */
const LIMITS = { timeoutMs: 30_000, maxBytes: 10 * 1024 * 1024 };

/** Maximum length of a stored validator. */
const MAX_VALIDATOR = 1024;

const ACCEPT = 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5';

export interface FetchOptions {
  readonly outbound: Pick<Outbound, 'fetch' | 'refusal'>;
  /** Version of this build, for `User-Agent`. */
  readonly version: string;
  readonly signal: AbortSignal;
}

/**
 * A page; undefined if it is still the version of the validators. Throws `invalid_argument` if it cannot be fetched.
 */
export async function fetchPage(url: string, { etag, modified }: Validators,
  { outbound, version, signal }: FetchOptions): Promise<Page | undefined>
{
  const refusal = outbound.refusal(url);
  if (refusal !== undefined)
    throw new ServiceError('invalid_argument', `url must be an address that this server may call: ${refusal}`);
  const headers = {
    Accept: ACCEPT,
    'User-Agent': `quire/${version}`,
    ...(etag !== undefined && { 'If-None-Match': etag }),
    ...(modified !== undefined && { 'If-Modified-Since': modified }),
  };
  try {
    const answer = await outbound.fetch(LIMITS)(url, { headers, signal });
    const isKnown = answer.status === 304 && (etag ?? modified) !== undefined;
    if (answer.status !== 200) await answer.body?.cancel();
    if (isKnown) return undefined;
    if (answer.status !== 200) throw unfetched(`the server returned ${answer.status}`);
    return {
      bytes: new Uint8Array(await answer.arrayBuffer()),
      contentType: answer.headers.get('Content-Type') ?? '',
      url: answer.url,
      etag: validator(answer, 'ETag'),
      modified: validator(answer, 'Last-Modified'),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ServiceError ? error : unfetched(reasonOf(error), error);
  }
}

function validator({ headers }: Response, name: string): string | undefined {
  const value = headers.get(name);
  return value !== null && value !== '' && value.length <= MAX_VALIDATOR && /^[\x20-\x7e]+$/.test(value)
    ? value
    : undefined;
}

function unfetched(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_argument', `url could not be fetched: ${reason}`, { cause });
}

/** Never contains the text of a connection error, because that names the address of the host in this network. */
function reasonOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof RefusedRequest) return each.message;
    const known = 'code' in each ? REASONS[String(each.code)] : undefined;
    if (known !== undefined) return known;
  }
  return 'the connection failed';
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host has no address',
  EAI_AGAIN: 'its host could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  UND_ERR_CONNECT_TIMEOUT: 'the server could not be reached in time',
  UND_ERR_HEADERS_TIMEOUT: 'the server did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'the server did not answer in time',
  Z_DATA_ERROR: 'the response is not compressed as it says',
  Z_BUF_ERROR: 'the response is not compressed as it says',
  ERR__ERROR_FORMAT_PADDING_1: 'the response is not compressed as it says',
};
