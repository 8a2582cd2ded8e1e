import { createRequire } from 'node:module';

/** Whether an optional package is installed; does not load it. */
export function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
