/** The extensions that files of an upload may have (contract section 4). */
export const EXTENSIONS = ['md', 'txt', 'html', 'htm', 'pdf', 'docx', 'odt', 'rtf', 'yaml', 'yml', 'log', 'lex', 'tex', 'latex'] as const;

export type Extension = (typeof EXTENSIONS)[number];

/** The extension of a file's name in lower case, without its dot; undefined for one that is not accepted. */
export function extensionOf(name: string): Extension | undefined {
  const extension = /\.([a-z]{2,5})$/i.exec(name)?.[1]?.toLowerCase();
  return EXTENSIONS.find((each) => each === extension);
}

/** The last part of a path, however a client separates its folders. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** The key of a file's document: its name, lowercased, spaces turned into hyphens, without its extension. */
export function keyOfFile(name: string): string {
  const base = baseName(name);
  const extension = extensionOf(base);
  const stem = extension === undefined ? base : base.slice(0, -extension.length - 1);
  return stem.trim().toLowerCase().replaceAll(' ', '-');
}
