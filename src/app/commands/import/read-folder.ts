import { isUtf8 } from 'node:buffer';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { splitFrontMatter } from '../../../text/front-matter.ts';
import { CommandError } from '../shared/command-error.ts';
import type { Source, SourceDocument, SourceItem } from './source.ts';

// Extensions of source code stay, because a document is recognised as code by them.
const MARKDOWN = /\.(?:md|mdx|markdown)$/i;

/** Files that the service converts to markdown (contract, section 4, `/v1/upload`). */
const CONVERTED = /\.(?:txt|html?|pdf|docx|odt|rtf|ya?ml|log|lex|tex|latex)$/i;

/** Whether a file with this name is already markdown. */
export const isMarkdownName = (name: string): boolean => MARKDOWN.test(name);

/** Whether a file with this name is sent to the service for conversion. */
export const isConvertedName = (name: string): boolean => CONVERTED.test(name);

/** The extension of a name in lower case, without its dot; empty if it has none. */
const endingOf = (name: string): string => /\.([a-z]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/**
 * The key of a file: its path relative to the imported folder with forward slashes, which keys may
 * contain, and without the extension of a markdown file. Files of other types keep theirs, so that `a.md` and `a.pdf`
 * are two documents.
 */
export function keyOfPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '').replace(MARKDOWN, '');
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
  const paths = await listFiles(folder, only);
  if (paths.length === 0)
    throw new CommandError(
      `no files to import found in ${folder}: expected ${
        only === undefined
          ? 'markdown, or files of a kind that /v1/upload takes'
          : `files ending in ${only.map((each) => `.${each}`).join(', ')}`
      }`,
    );
  return filesSource(folder, folder, paths, lang);
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
      for (const [index, path] of paths.entries())
        yield await readItem(folder, path, { lang, position: index + 1, seen });
    },
  };
}

interface ReadContext {
  readonly lang: string;
  readonly position: number;
  /** Paths by the identity of their document, which ignores letter case (contract, section 2, identity rule 1). */
  readonly seen: Map<string, string>;
}

async function readItem(folder: string, path: string, { lang, position, seen }: ReadContext): Promise<SourceItem> {
  const place = { origin: path, position };
  let read: Awaited<ReturnType<typeof readDocument>>;
  try {
    read = await readDocument(folder, path, lang);
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
async function readDocument(folder: string, path: string,
  lang: string): Promise<{ document: SourceDocument; sanitized: boolean; notes: readonly string[] }>
{
  const file = join(folder, path);
  if (isMarkdownName(path)) {
    const bytes = await readFile(file);
    return { ...documentFromFile(path, bytes.toString('utf8'), lang), sanitized: !isUtf8(bytes) };
  }
  const { size } = await stat(file);
  return {
    document: { key: keyOfPath(path), lang, contentMd: '', meta: {}, file: { path: file, bytes: size } },
    sanitized: false,
    notes: [],
  };
}

/** The document of a markdown file: front matter becomes metadata, and its `lang` overrides the given one. */
function documentFromFile(path: string, text: string,
  lang: string): { document: SourceDocument; notes: readonly string[] }
{
  const { meta, body, warnings } = splitFrontMatter(text);
  const ownLang = Object.hasOwn(meta, 'lang') ? meta.lang?.[0] : undefined;
  return {
    document: {
      key: keyOfPath(path),
      lang: ownLang !== undefined && LANG.test(ownLang) ? ownLang : lang,
      contentMd: body,
      meta,
    },
    notes: warnings,
  };
}

/** Paths of the files under a folder that can become documents, with forward slashes. */
export async function listFiles(root: string, only?: readonly string[], folder = ''): Promise<string[]> {
  const entries = await listEntries(join(root, folder));
  const paths: string[] = [];
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      paths.push(...(await listFiles(root, only, path)));
    if (entry.isFile() && isTaken(entry.name, only)) paths.push(path);
  }
  return paths;
}

function isTaken(name: string, only: readonly string[] | undefined): boolean {
  return (isMarkdownName(name) || isConvertedName(name)) && (only === undefined || only.includes(endingOf(name)));
}

async function listEntries(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw new CommandError(`cannot list ${folder}: ${(error as Error).message}`, { cause: error });
  }
}
