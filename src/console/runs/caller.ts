import { computed, signal } from '@preact/signals';
import { getCurrentUser, logout } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { GetCurrentUserResponse } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { session, signOut } from '../shared/session.ts';

/** Who is signed in, and what they may do; undefined before that is known, and where nobody is. */
export const caller = signal<GetCurrentUserResponse['data'] | undefined>(undefined);

/** The projects of somebody who may see some only; undefined for all. */
export const ownProjects = computed(() => {
  const grants = caller.value?.grants ?? [];
  if (grants.length === 0 || grants.some(({ projects }) => projects === null)) return undefined;
  return [...new Set(grants.flatMap(({ projects }) => projects ?? []))];
});

/** Asks the service who is signed in. */
export async function loadCaller(): Promise<void> {
  caller.value = session.value === undefined ? undefined : (await ask(getCurrentUser())).data;
}

/** Ends the session of a person on the server and at the issuer; a token of the configuration is only forgotten. */
export async function leave(): Promise<void> {
  const isPerson = caller.value?.name.startsWith('user:') === true;
  const { data } = isPerson ? await logout() : {};
  signOut(data?.data.sign_out_url ?? undefined);
}
