import { isUtf8 } from 'node:buffer';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { splitFrontMatter } from '../../../text/front-matter.ts';
import { CommandError } from '../shared/command-error.ts';
import { isMarkdownName, keyOfPath } from './key-of-path.ts';
import type { Source, SourceDocument, SourceItem } from './source.ts';

// As decision D-30 has it; anything else in a field `lang` is somebody's own use of the word.
const LANG = /^[A-Za-z0-9_-]{1,35}$/;

/**
 * The markdown files of a folder and of its folders, in the order of their names. Folders whose
 * name begins with a dot, `node_modules` and symbolic links are not entered. Only the list of paths
 * is gathered beforehand, so that the end is known; files are read one by one.
 * @throws {CommandError} when the folder cannot be listed or holds no markdown.
 */
export async function folderSource(folder: string, lang: string): Promise<Source> {
  const paths = await listMarkdown(folder, '');
  if (paths.length === 0) throw new CommandError(`no markdown found in ${folder}: expected files ending in .md, .markdown or .mdx`);
  return filesSource(folder, folder, paths, lang);
}

/** A single markdown file as a source of one document, keyed by its name. */
export const fileSource = (file: string, lang: string): Source => filesSource(file, join(file, '..'), [basename(file)], lang);

function filesSource(name: string, folder: string, paths: readonly string[], lang: string): Source {
  return {
    name,
    unit: 'files',
    total: paths.length,
    async *items() {
      const seen = new Map<string, string>();
      for (const [index, path] of paths.entries()) yield await readItem(folder, path, { lang, position: index + 1, seen });
    },
  };
}

interface ReadContext {
  readonly lang: string;
  readonly position: number;
  /** Paths by the identity of their document, which ignores case (contract, section 2, identity rule 1). */
  readonly seen: Map<string, string>;
}

async function readItem(folder: string, path: string, { lang, position, seen }: ReadContext): Promise<SourceItem> {
  const place = { origin: path, position };
  let bytes: Buffer;
  try {
    bytes = await readFile(join(folder, path));
  } catch (error) {
    return { ...place, kind: 'problem', problem: `cannot be read: ${(error as Error).message}` };
  }
  const { document, notes } = documentFromFile(path, bytes.toString('utf8'), lang);
  const identity = `${document.key}|${document.lang}`.toLowerCase();
  const other = seen.get(identity);
  // `a.md` beside `a.mdx`: storing both would silently keep the later one alone.
  if (other !== undefined) return { ...place, kind: 'problem', problem: `its key "${document.key}" is that of ${other} already` };
  seen.set(identity, path);
  return { ...place, kind: 'document', document, sanitized: !isUtf8(bytes), notes };
}

/** The document of a markdown file: front matter becomes metadata, and its `lang` wins over the given one. */
export function documentFromFile(path: string, text: string, lang: string): { document: SourceDocument; notes: readonly string[] } {
  const { meta, body, warnings } = splitFrontMatter(text);
  const ownLang = Object.hasOwn(meta, 'lang') ? meta.lang?.[0] : undefined;
  return {
    document: { key: keyOfPath(path), lang: ownLang !== undefined && LANG.test(ownLang) ? ownLang : lang, contentMd: body, meta },
    notes: warnings,
  };
}

async function listMarkdown(root: string, folder: string): Promise<string[]> {
  const entries = await listEntries(join(root, folder));
  const paths: string[] = [];
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules') paths.push(...(await listMarkdown(root, path)));
    if (entry.isFile() && isMarkdownName(entry.name)) paths.push(path);
  }
  return paths;
}

async function listEntries(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw new CommandError(`cannot list ${folder}: ${(error as Error).message}`, { cause: error });
  }
}
