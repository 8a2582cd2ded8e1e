import { type SourceDeps, SourceFailure } from '../port.ts';

/** What is asked of a store. */
interface Asked {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Names the store and what was asked of it, in messages. */
  readonly what: string;
}

/** The answer of a store: a JSON object, with its status. */
export interface Told {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Sends a request to a store, with one more attempt if the store could not be reached or is not ready (429, 500 and
 * above). Rejects with `SourceFailure`. No message repeats an answer, because it may hold a secret.
 */
export async function ask(deps: Pick<SourceDeps, 'fetch' | 'timer'>, asked: Asked): Promise<Told> {
  const first = await attempt(deps, asked);
  if (first !== undefined && first.status !== 429 && first.status < 500) return first;
  await deps.timer.sleep(PAUSE_MS, asked.signal);
  const second = await attempt(deps, asked);
  if (second !== undefined) return second;
  throw new SourceFailure(`${asked.what}: ${new URL(asked.url).host} cannot be reached`);
}

const PAUSE_MS = 250;

async function attempt({ fetch: send }: Pick<SourceDeps, 'fetch'>,
  { url, method = 'GET', headers, body, signal }: Asked): Promise<Told | undefined>
{
  try {
    const response = await send(url, { method, headers, body, signal, redirect: 'manual' });
    return { status: response.status, body: objectIn(await response.text()) };
  } catch {
    return undefined;
  }
}

/** The fields of a JSON object; none for everything else. */
export function objectIn(text: unknown): Readonly<Record<string, unknown>> {
  if (typeof text !== 'string') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Throws `SourceFailure` unless the store has answered with 200. */
export function requireOk({ status }: Told, what: string): void {
  if (status !== 200) throw new SourceFailure(`${what}: status ${status}`);
}

/** The whole text, or one field of it if it is a JSON object; numbers and truth values as text. */
export function fieldOf(text: unknown, field: string, what: string): string | undefined {
  if (field === '') return typeof text === 'string' ? text : undefined;
  const fields = typeof text === 'string' ? objectIn(text) : text as Readonly<Record<string, unknown>> | undefined;
  const value = fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (value === undefined || value === null) throw new SourceFailure(`${what} has no field ${field}`);
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}

/** The value of a variable that holds a credential for a source. */
export function variable({ variables }: Pick<SourceDeps, 'variables'>, name: string, what: string): string {
  const value = variables[name];
  if (!value) throw new SourceFailure(`${what}: the variable ${name} is not set`);
  return value;
}
