import { readFile } from 'node:fs/promises';

/**
 * Schemas of the inputs of operations. All tests of a process use this object, so that each validator is compiled once.
 */
export const DOCS_INPUTS = JSON.parse(
  await readFile(new URL('../../generated/docs/inputs.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, object>>;
