import { signal } from '@preact/signals';
import { logout, refreshSession } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { LoginResponse, ServerConfig } from '../../../generated/docs/sdk/types.gen.ts';
import { renew, type Session, session, signOut } from '../shared/session.ts';

/** How often the session is checked. */
const EVERY_MS = 20_000;

/** How long before the end of a session the user is told. */
const NOTICE_MS = 5 * 60_000;

/** Whether the session ends soon and cannot be renewed. */
export const endsSoon = signal(false);

/** Whether the user has done something since the last check. */
let isUsed = false;

/**
 * The session of a token: renewed after half of its life, as long as the server allows. Only durations count, because
 * clocks differ.
 */
export function sessionOf(
  { token, expiresAt, sessionEndsAt }: Pick<LoginResponse, 'token' | 'expiresAt' | 'sessionEndsAt'>,
  now = Date.now(),
): Session {
  const life = (expiresAt - issuedAt(token, expiresAt)) * 1000;
  return {
    kind: 'token',
    value: token,
    renewAt: sessionEndsAt > expiresAt ? now + life / 2 : undefined,
    endsAt: sessionEndsAt > expiresAt ? undefined : now + life,
  };
}

/** Whether a session is due for what; a token is renewed only for a user who does something. */
export function dueFor({ renewAt, endsAt }: Session, used: boolean, now = Date.now()): 'renewal' | 'notice'
  | undefined
{
  if (renewAt !== undefined) return used && now >= renewAt ? 'renewal' : undefined;
  return endsAt !== undefined && now >= endsAt - NOTICE_MS ? 'notice' : undefined;
}

/** Renews the token while the console is used, and says when the session ends. */
export function keepSession(): void {
  for (const event of ['pointerdown', 'keydown'])
    addEventListener(event, () => {
      isUsed = true;
    }, { passive: true });
  setInterval(() => void check(), EVERY_MS);
}

async function check(): Promise<void> {
  const now = session.value;
  const due = now && dueFor(now, isUsed);
  isUsed = false;
  endsSoon.value = due === 'notice';
  if (due !== 'renewal') return;
  const { data } = await refreshSession();
  // Otherwise it is tried again; a token that is not accepted any more is noticed by the next request of the page.
  if (data !== undefined && session.value === now) renew(sessionOf(data));
}

/** Ends the session on the server and, if it began at an issuer, there. */
export async function leave(): Promise<void> {
  const { data } = session.value?.kind === 'token' ? await logout({ body: {} }) : {};
  signOut(data?.signOutUrl);
}

/** The claim `iat` of a token, in Unix seconds. */
function issuedAt(token: string, otherwise: number): number {
  try {
    const { iat } = JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/'))) as {
      readonly iat?: number;
    };
    return iat ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** The settings of the server, once they are known; users who may not read them see only what signing in returns. */
export const config = signal<Partial<ServerConfig>>({});

/** Name of the signed-in user; empty without authentication. */
export const userName = signal('');

/** Whether the caller may administer the server; without authentication, every caller may. */
export const isAdmin = signal(true);
