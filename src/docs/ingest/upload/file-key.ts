import { extensionOf, isConvertible } from '../../../convert/index.ts';

/** The last part of a path, whichever separator the client uses. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** The key of a file's document: its lowercased name without extension, with hyphens instead of spaces. */
export function keyOfFile(name: string): string {
  const base = baseName(name);
  const extension = extensionOf(base);
  const stem = isConvertible(extension) ? base.slice(0, -extension.length - 1) : base;
  return stem.trim().toLowerCase().replaceAll(' ', '-');
}
