import { createRequire } from 'node:module';
import type * as Undici from 'undici';

/**
 * The package takes the place of the client behind the global `fetch` when it is loaded. That one belongs to
 * whoever runs the server (`NODE_USE_ENV_PROXY`), so it gets its place back.
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
