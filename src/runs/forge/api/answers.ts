import { type CommitStatus, type ForgeAnswer, type ForgeCall, ForgeError, type ForgeRequest } from '../port.ts';

/** Longest time that a forge can ask to be left alone, so that a wrong header does not stop statuses for ever. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** GitHub: wait at least a minute after a secondary rate limit without a time. */
const RATE_LIMIT_PAUSE_MS = 60_000;
const MAX_MESSAGE = 300;

const PASSING: ReadonlySet<number> = new Set([408, 409, 423, 425, 429]);

/** Returns the body of a successful response, and otherwise throws what the response says. */
export function bodyOf(answer: ForgeAnswer, request: ForgeRequest): unknown {
  if (answer.status >= 200 && answer.status < 300) return answer.json;
  throw failureOf(answer, request);
}

/** A rate limit, a failing server and a lock pass; everything else needs a person. */
export function failureOf(answer: ForgeAnswer, { method, path }: ForgeRequest): ForgeError {
  const { status } = answer;
  const said = messageIn(answer.json);
  const limited = isRateLimit(answer, said);
  const hint = limited ? ' (rate limit)' : HINTS[status] ?? (status >= 300 && status < 400 ? MOVED : '');
  return new ForgeError(`${method} ${path.split('?')[0]!}: ${status}${hint}${said === '' ? '' : `: ${said}`}`, {
    status,
    isLasting: !limited && status < 500 && !PASSING.has(status),
    retryAfterMs: retryAfterOf(answer) || (limited ? RATE_LIMIT_PAUSE_MS : 0),
  });
}

const MOVED = ' (a redirect: was the repository renamed?)';

const HINTS: Readonly<Record<number, string>> = {
  401: ' (the token is not accepted)',
  403: ' (the token may not do this)',
  404: ' (not found, or hidden from the token)',
};

/** GitHub answers 403 or 429 to both of its rate limits ("Rate limits for the REST API"); others answer 429. */
function isRateLimit({ status, headers }: ForgeAnswer, said: string): boolean {
  if (status === 429) return true;
  return status === 403
    && (headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0' || /rate limit/i.test(said));
}

/**
 * Milliseconds until the forge wants to be asked again, 0 if it does not say: `Retry-After`, or `X-RateLimit-Reset` and
 * `RateLimit-Reset` (GitLab) where nothing remains. Resets are compared with the `Date` of the same response, so that
 * the clock of this machine does not matter.
 */
export function retryAfterOf({ headers }: ForgeAnswer): number {
  const dated = Date.parse(headers['date'] ?? '');
  const now = Number.isNaN(dated) ? Date.now() : dated;
  const after = headers['retry-after'];
  if (after !== undefined) return within(/^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now);
  const [remaining, reset] = headers['x-ratelimit-remaining'] === undefined
    ? [headers['ratelimit-remaining'], headers['ratelimit-reset']]
    : [headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']];
  return remaining === '0' && reset !== undefined ? within(Number(reset) * 1000 - now) : 0;
}

const within = (milliseconds: number): number =>
  Number.isFinite(milliseconds) ? Math.min(Math.max(milliseconds, 0), MAX_RETRY_AFTER_MS) : 0;

/** What the response says of the failure, in one line: GitHub, GitLab, Gitea and Bitbucket each have their own form. */
function messageIn(json: unknown): string {
  const { message, error, errors } = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>;
  const nested = (error as Record<string, unknown> | undefined)?.['message'];
  const said = [message, nested, error].find((each) => typeof each === 'string') ?? message;
  const listed = Array.isArray(errors) ? errors : [];
  const texts = [said, ...listed].filter((each) => each !== undefined).map((each) =>
    typeof each === 'string' ? each : JSON.stringify(each)
  );
  const line = texts.join('; ').replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE - 1)}…` : line;
}

/** A client of one API that throws failures. */
export interface Asking {
  readonly call: ForgeCall;
  /** The body of the response. */
  ask(request: ForgeRequest): Promise<unknown>;
}

export function asking(call: ForgeCall, headers: Readonly<Record<string, string>>): Asking {
  const withHeaders: ForgeCall = (request) => call({ ...request, headers: { ...headers, ...request.headers } });
  return { call: withHeaders, ask: async (request) => bodyOf(await withHeaders(request), request) };
}

/** A list and the tag for the next request; undefined if nothing has changed since the request that returned `etag`. */
export async function listIfChanged({ call }: Asking, path: string,
  etag: string): Promise<{ readonly etag: string; readonly entries: unknown[] } | undefined>
{
  const request: ForgeRequest = { method: 'GET', path, headers: etag === '' ? {} : { 'If-None-Match': etag } };
  const answer = await call(request);
  if (answer.status === 304) return undefined;
  return { etag: answer.headers['etag'] ?? '', entries: listOf(bodyOf(answer, request)) };
}

/**
 * `owner/name` as a part of a path. A name that would lead to another address of the API is refused.
 */
export function segmentsOf(repository: string): string {
  const parts = repository.split('/');
  if (parts.length < 2 || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw new ForgeError(`${JSON.stringify(repository)} is no repository: expected owner/name`, { isLasting: true });
  return parts.map(encodeURIComponent).join('/');
}

/** States of commits in the words of GitHub, which Gitea has, too. */
export const GITHUB_STATES: Readonly<Record<CommitStatus['state'], string>> = {
  pending: 'pending',
  running: 'pending',
  success: 'success',
  failure: 'failure',
  error: 'error',
  cancelled: 'error',
};

/** Reads an answer of a forge without trust in its form. */
export const field = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) => typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  );

export function textOf(value: unknown, ...path: readonly string[]): string {
  const found = field(value, ...path);
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : '';
}

export const numberOf = (value: unknown, ...path: readonly string[]): number => Number(field(value, ...path) ?? 0);

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value as unknown[] : []);

/** Throws if a created thing has no id, because it could not be found again. */
export function idOf(value: unknown): string {
  const id = textOf(value, 'id');
  if (id === '') throw new ForgeError('the forge has created something without an id', { isLasting: false });
  return id;
}

/** Ids of comments are in addresses of later requests. */
export function plainId(id: string): string {
  if (!/^\d+$/.test(id)) throw new ForgeError(`${JSON.stringify(id)} is no id of a comment`, { isLasting: true });
  return id;
}

const PAGES = 10;

/**
 * The first entry of a list that `matches`; `page` returns pages from 1 on, and the list ends with a page of fewer than
 * `size` entries. Looks at most through ten pages.
 */
export async function findInPages(size: number, page: (number: number) => Promise<unknown[]>,
  matches: (entry: unknown) => boolean): Promise<unknown>
{
  for (let number = 1; number <= PAGES; number += 1) {
    const entries = await page(number);
    const found = entries.find(matches);
    if (found !== undefined) return found;
    if (entries.length < size) return undefined;
  }
  return undefined;
}
