import { setTimeout } from 'node:timers/promises';

/** Far more than anything takes: only a test that hangs meets it. */
export const TIMEOUT_MS = 60_000;

/** Polls until there is a result; fails with the description if there is none for a long time. */
export async function eventually<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
    await setTimeout(25);
  }
}
