import { signal } from '@preact/signals';
import { finishOidcSignIn, startOidcSignIn } from '../../../generated/docs/sdk/sdk.gen.ts';
import { ask, messageOf, toRequestError } from '../shared/ask.ts';
import { leaveSafely } from '../shared/leaving.ts';
import { signIn } from '../shared/session.ts';
import { sessionOf } from './session-life.ts';

/** State for the return from the issuer's page, stored only for this tab until the browser is back. */
const FLOW = 'quire-sign-in';

/** Why the last sign-in at the issuer failed, until it is shown to a user who is signed in or who tries again. */
export const issuerFailure = signal<string | undefined>(undefined);

interface Flow {
  readonly flow: string;
  /** The place of the console to return to. */
  readonly hash: string;
}

/** Goes to the issuer's page. Changes that are not saved yet are kept in this tab. */
export async function goToIssuer(): Promise<void> {
  const { url, flow } = await ask(startOidcSignIn());
  sessionStorage.setItem(FLOW, JSON.stringify({ flow, hash: location.hash } satisfies Flow));
  leaveSafely(url);
}

/**
 * Finishes a sign-in if the issuer has just redirected the browser back, and removes its response from the URL. It runs
 * before the page asks for anything: a user who signs in again before the session has ended still has a valid token.
 */
export async function finishAtIssuer(): Promise<void> {
  const kept = sessionStorage.getItem(FLOW);
  const query = location.search.slice(1);
  if (kept === null || !/(?:^|&)state=/.test(query)) return;
  sessionStorage.removeItem(FLOW);
  const { flow, hash } = JSON.parse(kept) as Flow;
  history.replaceState(null, '', location.pathname);
  location.hash = hash;
  issuerFailure.value = await finish(flow, query).catch(messageOf);
}

/** Throws if the sign-in was refused, by the issuer or by the service. */
async function finish(flow: string, query: string): Promise<undefined> {
  const refusal = new URLSearchParams(query).get('error');
  if (refusal !== null) throw new Error(`your organisation has refused the sign-in (${refusal})`);
  const { data, error, response } = await finishOidcSignIn({ body: { flow, query } });
  if (data === undefined) throw toRequestError(error, response?.status ?? 0);
  signIn(sessionOf(data));
}
