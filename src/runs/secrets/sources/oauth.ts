import { type SourceDeps, SourceFailure } from '../port.ts';
import { ask, requireOk } from './http.ts';
import type { Leased } from './lease.ts';

/** Requests a token of an OAuth 2.0 server (RFC 6749, section 5.1). */
export async function requestToken(deps: SourceDeps, url: string, fields: Readonly<Record<string, string>>,
  { signal, what }: { readonly signal: AbortSignal; readonly what: string }): Promise<Leased>
{
  const told = await ask(deps, {
    url,
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
    signal,
    what,
  });
  requireOk(told, what);
  const { access_token: token, expires_in: seconds } = told.body;
  if (typeof token !== 'string') throw new SourceFailure(`${what}: the answer has no token`);
  return { token, seconds: Number(seconds) || 0 };
}
