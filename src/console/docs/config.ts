import { signal } from '@preact/signals';
import type { ServerConfig } from '../../../generated/docs/sdk/types.gen.ts';

/** The settings of the server, once they are known; of those who may not read them, only what signing in tells. */
export const config = signal<Partial<ServerConfig>>({});

/** Whether the caller may administer the server, as everybody may where nobody signs in. */
export const isAdmin = signal(true);
