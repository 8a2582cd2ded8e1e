import { signInWanted } from './session.ts';

/** A failed request: the error of the service, or the reason why it could not be reached. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(message: string, status: number, code: string) {
    super(message);
    this.name = 'RequestError';
    this.status = status;
    this.code = code;
  }
}

interface Answer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response?: Response;
}

/** The result of a call of the generated client. Throws a `RequestError` for everything else. */
export async function ask<A extends Answer>(call: Promise<A>): Promise<Exclude<A['data'], undefined>> {
  const { data } = await askWithResponse(call);
  return data;
}

/** The same with the response, for its headers. */
export async function askWithResponse<A extends Answer>(
  call: Promise<A>,
): Promise<{ data: Exclude<A['data'], undefined>; response: Response }> {
  const { data, error, response } = await call;
  if (response?.ok === true && error === undefined) return { data: data as Exclude<A['data'], undefined>, response };
  const status = response?.status ?? 0;
  const failure = toRequestError(error, status);
  // A wrong password is not the end of the session.
  if (status === 401 && failure.code !== 'invalid_credentials') signInWanted.value = true;
  throw failure;
}

/** Reads the error bodies of both services. */
export function toRequestError(error: unknown, status: number): RequestError {
  if (status === 0) return new RequestError('the service cannot be reached', 0, 'unreachable');
  const body = (typeof error === 'object' && error !== null ? error : {}) as { error?: unknown; code?: unknown;
    errors?: unknown };
  if (typeof body.error === 'object' && body.error !== null) {
    const { code = 'error', message } = body.error as { code?: string; message?: string };
    return new RequestError(message ?? sentenceOf(code), status, code);
  }
  const details = Array.isArray(body.errors) ? `: ${body.errors.map(String).join('; ')}` : '';
  const message = typeof body.error === 'string' ? body.error + details : `status ${status}`;
  return new RequestError(message, status, typeof body.code === 'string' ? body.code : 'error');
}

const sentenceOf = (code: string): string => code.replaceAll('_', ' ');

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns a unique key. Browsers provide `crypto.randomUUID` only over HTTPS and on localhost. */
export function idempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
