import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createGlob } from '../../../lib/glob.ts';

/** Most entries of folders that one pattern may read. */
const MAX_LOOKED_AT = 500_000;

/**
 * Files below a folder that match a pattern, as paths with `/`, sorted. `*` and `?` match letters of a name, `**`
 * matches any folders; a folder selects all files in it. Names that begin with a dot match only if the pattern has the
 * dot. Links are neither found nor followed. Throws a readable reason if there are too many entries to read.
 */
export async function findFiles(root: string, pattern: string): Promise<string[]> {
  const found = new Set<string>();
  const looked = { at: 0 };
  const segments = pattern.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw new Error(`${pattern} leads out of the work folder`);
  await find({ root, found, looked, pattern }, '', segments);
  return [...found].sort();
}

interface Search {
  readonly root: string;
  readonly pattern: string;
  readonly found: Set<string>;
  readonly looked: { at: number };
}

async function find(search: Search, path: string, segments: readonly string[]): Promise<void> {
  const [segment = '**', ...rest] = segments;
  if (segment === '**') {
    if (rest.length > 0) await find(search, path, rest);
    return each(search, path, async (name, kind) => {
      if (name.startsWith('.')) return;
      if (kind === 'folder') await find(search, `${path}${name}/`, ['**', ...rest]);
      else if (rest.length === 0) search.found.add(`${path}${name}`);
    });
  }
  const matches = createGlob(segment);
  const enter = async (name: string, kind: Kind): Promise<void> => {
    if (kind === 'folder') await find(search, `${path}${name}/`, rest);
    else if (rest.length === 0) search.found.add(`${path}${name}`);
  };
  if (!/[*?]/.test(segment)) {
    const kind = kindOf(await lstat(join(search.root, path, segment)).catch(() => undefined));
    return kind === undefined ? undefined : enter(segment, kind);
  }
  return each(search, path, async (name, kind) => {
    if (matches(name) && (segment.startsWith('.') || !name.startsWith('.'))) await enter(name, kind);
  });
}

type Kind = 'file' | 'folder';

async function each(search: Search, path: string, visit: (name: string, kind: Kind) => Promise<void>): Promise<void> {
  const entries = await readdir(join(search.root, path), { withFileTypes: true }).catch(() => []);
  search.looked.at += entries.length;
  if (search.looked.at > MAX_LOOKED_AT)
    throw new Error(`${search.pattern} has to look at more than ${MAX_LOOKED_AT} files`);
  for (const entry of entries) {
    const kind = kindOf(entry);
    if (kind !== undefined) await visit(entry.name, kind);
  }
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean } | undefined): Kind | undefined {
  if (entry?.isFile()) return 'file';
  return entry?.isDirectory() ? 'folder' : undefined;
}
