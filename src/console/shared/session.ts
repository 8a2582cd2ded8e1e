import { signal } from '@preact/signals';

/** The credential of this tab. */
export interface Session {
  readonly kind: 'token' | 'key';
  readonly value: string;
}

/** Stored for this tab only, until it is closed; it is sent in a header, so no other site can make the browser send it. */
const STORE = 'quire-session';

export const session = signal<Session | undefined>(restore());

/** Set when the service has rejected a request because of a missing credential. */
export const signInWanted = signal(false);

export function signIn(given: Session): void {
  sessionStorage.setItem(STORE, JSON.stringify(given));
  session.value = given;
  signInWanted.value = false;
}

/** Reloads the page, so that nothing that was visible remains. */
export function signOut(): void {
  sessionStorage.removeItem(STORE);
  location.reload();
}

/** The credential for one security scheme of the generated client. */
export function credentialFor({ scheme }: { readonly scheme?: string | undefined }): string | undefined {
  const { kind, value } = session.value ?? {};
  return (scheme === 'bearer') === (kind === 'token') ? value : undefined;
}

function restore(): Session | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORE) ?? 'null') as Partial<Session> | null;
    return typeof kept?.value === 'string' ? { kind: kept.kind === 'key' ? 'key' : 'token', value: kept.value } : undefined;
  } catch {
    return undefined;
  }
}
