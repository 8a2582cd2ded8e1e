import { extensionOf, formatOfMediaType, isConvertible } from '../../../convert/index.ts';

/** What servers say of files that they know nothing of. */
const UNTOLD: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/** How the converter is told what a page is. */
export interface PageName {
  /** A name with the extension of its format, without one where only the content can tell. */
  readonly name: string;
  readonly contentType?: string;
}

/**
 * What a page claims to be: by its media type, and by the extension of its URL's path where that says nothing or no more than that it is
 * text. Undefined when it is of a type that cannot be stored.
 */
export function nameOfPage(contentType: string, url: URL): PageName | undefined {
  const type = mediaTypeOf(contentType);
  const extension = extensionOf(url.pathname);
  const byPath = isConvertible(extension) ? extension : undefined;
  if (UNTOLD.has(type)) return { name: byPath === undefined ? 'page' : `page.${byPath}` };
  const media = formatOfMediaType(contentType);
  const told = media !== undefined && isConvertible(media) ? media : undefined;
  if (type === 'text/plain') return { name: `page.${byPath ?? 'txt'}`, contentType };
  if (told === undefined && !type.startsWith('text/')) return undefined;
  return { name: `page.${told ?? 'txt'}`, contentType };
}

export function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}
