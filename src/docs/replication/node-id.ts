import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const GENERATED = /^node-[0-9a-f]{8}$/;

/**
 * The id of a node: from the settings, or generated once. It is stored beside the database and not in it, because a
 * copy of the database belongs to another node.
 */
export async function nodeIdOf(configured: string, database: string): Promise<string> {
  if (configured !== '') return configured;
  const made = `node-${randomBytes(4).toString('hex')}`;
  if (database === ':memory:' || database.includes('://')) return made;
  const file = join(dirname(database), `${basename(database)}.node-id`);
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (GENERATED.test(kept)) return kept;
  await writeFile(file, `${made}\n`, { mode: 0o600 });
  return made;
}
