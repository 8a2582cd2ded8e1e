import { signal } from '@preact/signals';
import { messageOf } from './ask.ts';
import { leaveSafely } from './router.ts';

/** State for the return from the issuer's page, stored only for this tab until the browser is back. */
const FLOW = 'quire-sign-in';

/** Why the last sign-in at the issuer failed, until it is shown to a user who is signed in or who tries again. */
export const issuerFailure = signal<string | undefined>(undefined);

interface Flow {
  readonly flow: string;
  /** The place of the console to return to. */
  readonly hash: string;
}

/**
 * Goes to the issuer's page; `start` begins the sign-in at the service. Changes that are not saved yet are kept in this
 * tab.
 */
export async function leaveForIssuer(
  start: () => Promise<{ readonly url: string; readonly flow: string }>,
): Promise<void> {
  const { url, flow } = await start();
  sessionStorage.setItem(FLOW, JSON.stringify({ flow, hash: location.hash } satisfies Flow));
  leaveSafely(url);
}

/**
 * Finishes a sign-in if the issuer has just redirected the browser back, and removes its response from the URL. Call it
 * before the page asks for anything: a user who signs in again before the session has ended still has a valid token.
 * `finish` throws if the service refuses the sign-in.
 */
export async function returnFromIssuer(
  finish: (answer: { readonly flow: string; readonly query: string }) => Promise<void>,
): Promise<void> {
  const kept = sessionStorage.getItem(FLOW);
  const query = location.search.slice(1);
  if (kept === null || !/(?:^|&)state=/.test(query)) return;
  sessionStorage.removeItem(FLOW);
  const { flow, hash } = JSON.parse(kept) as Flow;
  history.replaceState(null, '', location.pathname);
  location.hash = hash;
  try {
    const refusal = new URLSearchParams(query).get('error');
    if (refusal !== null) throw new Error(`your organisation has refused the sign-in (${refusal})`);
    await finish({ flow, query });
    issuerFailure.value = undefined;
  } catch (error) {
    issuerFailure.value = messageOf(error);
  }
}
