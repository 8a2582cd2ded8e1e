import { join } from 'node:path';

/** Files that peers need and that are fetched or built once: jars, and the output of Cargo. Git ignores it. */
export const CACHE = join(import.meta.dirname, '..', '.cache');
