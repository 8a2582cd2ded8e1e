import { createRequire } from 'node:module';
import type * as Undici from 'undici';

/**
 * When it is loaded, the package replaces the client behind the global `fetch`. The global client belongs to the
 * operator of the server (`NODE_USE_ENV_PROXY`), so it is restored.
 */
function withoutReplacing<T>(load: () => T): T {
  const places = globalThis as unknown as Record<symbol, unknown>;
  const place = Symbol.for('undici.globalDispatcher.1');
  const before = places[place];
  const result = load();
  places[place] = before;
  return result;
}

let loaded: typeof Undici | undefined;

/**
 * Loaded with the first request: its hundred modules are a twentieth of the time in which a service starts, and few
 * services send any.
 */
export const undici =
  (): typeof Undici => (loaded ??= withoutReplacing(() => createRequire(import.meta.url)('undici') as typeof Undici));
