import { createRequire } from 'node:module';
import type * as Undici from 'undici';

/**
 * When it is loaded, the package replaces the client behind the global `fetch`. The global client belongs to the operator of
 * the server (`NODE_USE_ENV_PROXY`), so it is restored.
 */
function withoutReplacing<T>(load: () => T): T {
  const places = globalThis as unknown as Record<symbol, unknown>;
  const place = Symbol.for('undici.globalDispatcher.1');
  const before = places[place];
  const loaded = load();
  places[place] = before;
  return loaded;
}

const undici = withoutReplacing(() => createRequire(import.meta.url)('undici') as typeof Undici);

export const { Agent, buildConnector, fetch } = undici;
