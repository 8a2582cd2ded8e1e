import { finishOidcSignIn, startOidcSignIn } from '../../../generated/docs/sdk/sdk.gen.ts';
import { ask, toRequestError } from '../shared/ask.ts';
import { leaveSafely } from '../shared/leaving.ts';
import { signIn } from '../shared/session.ts';
import { sessionOf } from './session-life.ts';

/** State for the return from the issuer's page, stored only for this tab until the browser is back. */
const FLOW = 'quire-sign-in';

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

/** Runs after the issuer has redirected the browser back; removes its response from the URL. */
export async function finishAtIssuer(): Promise<void> {
  const kept = sessionStorage.getItem(FLOW);
  const query = location.search.slice(1);
  if (kept === null || !/(?:^|&)state=/.test(query)) return;
  sessionStorage.removeItem(FLOW);
  const { flow, hash } = JSON.parse(kept) as Flow;
  history.replaceState(null, '', location.pathname);
  location.hash = hash;
  const { data, error, response } = await finishOidcSignIn({ body: { flow, query } });
  if (data === undefined) throw toRequestError(error, response?.status ?? 0);
  signIn(sessionOf(data));
}
