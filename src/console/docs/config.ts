import { signal } from '@preact/signals';
import type { ServerConfig } from '../../../generated/docs/sdk/types.gen.ts';

/** The settings of the server, once they are known; users who may not read them see only what signing in returns. */
export const config = signal<Partial<ServerConfig>>({});

/** Name of the signed-in user; empty without authentication. */
export const userName = signal('');

/** Whether the caller may administer the server; without authentication, every caller may. */
export const isAdmin = signal(true);
