import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CONVERTIBLE_LIST, extensionOf, formatOf, formatOfExtension, type KeyOf, keysOfPaths,
  readMarkdown } from '../../../convert/index.ts';
import { CommandError } from '../shared/command-error.ts';
import type { Source, SourceDocument, SourceItem } from './source.ts';

/** Whether a file with this name is already markdown. */
const isMarkdownName = (name: string): boolean => formatOfExtension(extensionOf(name)) === 'md';

/** Whether the extension of a name says that the file can become a document; that of none, its content decides. */
export const isTakenName = (name: string): boolean => {
  const extension = extensionOf(name);
  return extension === '' || formatOfExtension(extension) !== undefined;
};

/** The largest file that the service accepts, in bytes. */
export const MAX_FILE_BYTES = 100 * 2 ** 20;

/**
 * The key of a file: its path relative to the imported folder with forward slashes, which keys may
 * contain, and without the extension of a markdown file. Files of other types keep theirs, so that `a.md` and `a.pdf`
 * are two documents.
 */
export function keyOfPath(path: string): string {
  const key = path.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '');
  return isMarkdownName(key) ? key.slice(0, -extensionOf(key).length - 1) : key;
}

// The form of a language; any other value of a field `lang` has another meaning.
const LANG = /^[A-Za-z0-9_-]{1,35}$/;

export interface FolderOptions {
  /** The language of files without one. */
  readonly lang: string;
  /** Extensions of the files to import, in lower case and without the dot; if absent, all that can become documents. */
  readonly only?: readonly string[] | undefined;
}

/**
 * The files of a folder and its subfolders that can become documents, in the order of their names: markdown, which is
 * read here, and files that the service converts. Folders whose name begins with a dot, `node_modules` and symbolic
 * links are skipped. Only the list of paths is read beforehand, so that the total is known; files are read one by one.
 * @throws {CommandError} if the folder cannot be listed or contains no such file.
 */
export async function folderSource(folder: string, { lang, only }: FolderOptions): Promise<Source> {
  const { paths, passedOver } = await listFiles(folder, only);
  if (paths.length === 0)
    throw new CommandError(
      `no files to import found in ${folder}: expected files ending in ${
        only === undefined ? CONVERTIBLE_LIST : only.map((each) => `.${each}`).join(', ')
      }`,
    );
  return { ...filesSource(folder, folder, paths, lang), passedOver };
}

/** A single file as a source of one document, keyed by its name. */
export const fileSource = (file: string, lang: string): Source =>
  filesSource(file, join(file, '..'), [basename(file)], lang);

/** Files of a folder as a source, by their paths in it. */
export function filesSource(name: string, folder: string, paths: readonly string[], lang: string): Source {
  return {
    name,
    unit: 'files',
    total: paths.length,
    async *items() {
      const seen = new Map<string, string>();
      const keyOf = keysOfPaths(paths.map(keyOfPath));
      for (const [index, path] of paths.entries())
        yield await readItem(folder, path, { lang, position: index + 1, seen, keyOf });
    },
  };
}

interface ReadContext {
  readonly lang: string;
  readonly position: number;
  /** Paths by the identity of their document, which ignores letter case (contract, section 2, identity rule 1). */
  readonly seen: Map<string, string>;
  /** The keys to which links between notes are resolved. */
  readonly keyOf: KeyOf;
}

async function readItem(folder: string, path: string,
  { lang, position, seen, keyOf }: ReadContext): Promise<SourceItem>
{
  const place = { origin: path, position };
  let read: Awaited<ReturnType<typeof readDocument>>;
  try {
    read = await readDocument(folder, path, lang, keyOf);
  } catch (error) {
    return { ...place, kind: 'problem', problem: `cannot be read: ${(error as Error).message}` };
  }
  const { document } = read;
  const identity = `${document.key}|${document.lang}`.toLowerCase();
  const other = seen.get(identity);
  // For example `a.md` and `a.mdx`: storing both would silently keep only the later one.
  if (other !== undefined)
    return { ...place, kind: 'problem', problem: `its key "${document.key}" is that of ${other} already` };
  seen.set(identity, path);
  return { ...place, kind: 'document', ...read };
}

/**
 * The document of a file: a markdown file completely, for other types the path of the file. Rejects if it cannot be
 * read.
 */
async function readDocument(folder: string, path: string, lang: string,
  keyOf: KeyOf): Promise<{ document: SourceDocument; sanitized: boolean; notes: readonly string[] }>
{
  const file = join(folder, path);
  if (isMarkdownName(path)) {
    return documentFromFile(path, await readFile(file), lang, keyOf);
  }
  const { size } = await stat(file);
  return {
    document: { key: keyOfPath(path), lang, contentMd: '', meta: {}, file: { path: file, bytes: size } },
    sanitized: false,
    notes: [],
  };
}

/**
 * The document of a markdown file, read as an upload reads it: front matter becomes metadata, and its `lang` overrides
 * the given one.
 */
function documentFromFile(path: string, bytes: Uint8Array, lang: string,
  keyOf: KeyOf): { document: SourceDocument; sanitized: boolean; notes: readonly string[] }
{
  const { content, meta, warnings, repaired } = readMarkdown(bytes, { name: path, keyOf });
  const ownLang = Object.hasOwn(meta, 'lang') ? meta['lang']?.[0] : undefined;
  return {
    document: {
      key: keyOfPath(path),
      lang: ownLang !== undefined && LANG.test(ownLang) ? ownLang : lang,
      contentMd: content,
      meta,
    },
    sanitized: repaired > 0,
    notes: warnings,
  };
}

interface FoundFiles {
  /** Files that can become documents, with forward slashes. */
  readonly paths: string[];
  /** Files of other kinds; none if the kinds were given. */
  readonly passedOver: string[];
}

/** The files under a folder, in the order of their names. */
export async function listFiles(root: string, only?: readonly string[], folder = ''): Promise<FoundFiles> {
  const found: FoundFiles = { paths: [], passedOver: [] };
  for (const entry of await listEntries(join(root, folder))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules') {
      const inner = await listFiles(root, only, path);
      found.paths.push(...inner.paths);
      found.passedOver.push(...inner.passedOver);
    }
    if (!entry.isFile() || isHidden(entry.name)) continue;
    if (only !== undefined && !only.includes(extensionOf(entry.name))) continue;
    (await isTaken(join(root, path)) ? found.paths : found.passedOver).push(path);
  }
  return found;
}

/** Settings of programs, such as `.gitignore`. */
function isHidden(name: string): boolean {
  return name.startsWith('.') && extensionOf(name) === '';
}

/** Whether a file can become a document: by its extension, or by its content if it has none. */
async function isTaken(file: string): Promise<boolean> {
  if (extensionOf(file) !== '') return isTakenName(file);
  try {
    if ((await stat(file)).size > MAX_FILE_BYTES) return false;
    formatOf(await readFile(file), file, undefined);
    return true;
  } catch {
    return false;
  }
}

async function listEntries(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw new CommandError(`cannot list ${folder}: ${(error as Error).message}`, { cause: error });
  }
}
