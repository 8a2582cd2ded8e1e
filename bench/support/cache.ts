import { join } from 'node:path';

/** What peers need and get once: jars, and what Cargo builds. Git ignores it. */
export const CACHE = join(import.meta.dirname, '..', '.cache');
