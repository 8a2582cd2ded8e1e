import { signal } from '@preact/signals';

/** The credential of this tab. */
export interface Session {
  readonly kind: 'token' | 'key';
  readonly value: string;
  /** From when the token should be renewed, in Unix milliseconds of this computer; absent if it cannot be. */
  readonly renewAt?: number;
  /** When a token that cannot be renewed expires, likewise. */
  readonly endsAt?: number;
}

/**
 * Stored for this tab only, until it is closed; it is sent in a header, so no other site can make the browser send it.
 */
const STORE = 'quire-session';

export const session = signal<Session | undefined>(restore());

/** How often somebody has signed in: what a page has loaded is loaded again then, but not when a token is renewed. */
export const signIns = signal(0);

/** Set when the service has rejected a request because of a missing credential. */
export const signInWanted = signal(false);

export function signIn(given: Session): void {
  renew(given);
  signIns.value += 1;
  signInWanted.value = false;
}

/** Replaces the credential by a newer one of the same user. */
export function renew(given: Session): void {
  sessionStorage.setItem(STORE, JSON.stringify(given));
  session.value = given;
}

/**
 * Forgets the credential and everything else that this tab has stored, and leaves the page, so that nothing that was
 * visible remains.
 */
export function signOut(to?: string): void {
  sessionStorage.clear();
  if (to === undefined) location.reload();
  else location.assign(to);
}

/** The credential for one security scheme of the generated client. */
export function credentialFor({ scheme }: { readonly scheme?: string | undefined }): string | undefined {
  const { kind, value } = session.value ?? {};
  return (scheme === 'bearer') === (kind === 'token') ? value : undefined;
}

function restore(): Session | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORE) ?? 'null') as Partial<Session> | null;
    return typeof kept?.value === 'string'
      ? { ...kept, kind: kept.kind === 'key' ? 'key' : 'token', value: kept.value }
      : undefined;
  } catch {
    return undefined;
  }
}
