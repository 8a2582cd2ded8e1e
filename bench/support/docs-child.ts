import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Usage } from './docs-server.ts';
import { ROOT } from './server.ts';

/** The compile cache that `bin/quire.js` uses. */
const NODE_COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'quire');

/** A document service in a separate process, which reports its resource usage. */
export interface DocsChild {
  readonly url: string;
  /** Its memory, and the longest block of its event loop since the last call. */
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Resolves when it listens; `env` contains further settings, if any. */
export async function startDocsChild(database: string, env: Readonly<Record<string, string>> = {}): Promise<DocsChild> {
  const child = fork(join(import.meta.dirname, 'docs-server.ts'), [database], {
    env: { ...process.env, NODE_COMPILE_CACHE, ...env },
  });
  const ended = once(child, 'exit');
  const answer = async <T>(): Promise<T> => {
    const [message] =
      (await Promise.race([once(child, 'message'),
        ended.then(() => Promise.reject(new Error('the server ended')))])) as [T];
    return message;
  };
  const url = await answer<string>();
  return {
    url,
    usage: () => {
      const usage = answer<Usage>();
      child.send('usage');
      return usage;
    },
    stop: async () => {
      child.disconnect();
      await ended;
    },
  };
}
