import { extensionOf, isConvertible } from '../../../convert/index.ts';

/** The last part of a path, however a client separates its folders. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** The key of a file's document: its name, lowercased, spaces turned into hyphens, without its extension. */
export function keyOfFile(name: string): string {
  const base = baseName(name);
  const extension = extensionOf(base);
  const stem = isConvertible(extension) ? base.slice(0, -extension.length - 1) : base;
  return stem.trim().toLowerCase().replaceAll(' ', '-');
}
