import { extensionOf, formatOfMediaType, isConvertible } from '../../../convert/index.ts';

/** Media types that servers send for files of unknown type. */
const UNSPECIFIC: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/** The names by which the converter recognizes the format of a page. */
export interface PageName {
  /** A name with the extension of its format, or without one if only the content shows the format. */
  readonly name: string;
  readonly contentType?: string;
}

/**
 * The declared format of a page: from its media type, or from the extension of its URL's path if the media type is
 * unknown or only says that it is text. Undefined if its type cannot be stored.
 */
export function nameOfPage(contentType: string, url: URL): PageName | undefined {
  const type = mediaTypeOf(contentType);
  const extension = extensionOf(url.pathname);
  const byPath = isConvertible(extension) ? extension : undefined;
  if (UNSPECIFIC.has(type)) return { name: byPath === undefined ? 'page' : `page.${byPath}` };
  const media = formatOfMediaType(contentType);
  const converted = media !== undefined && isConvertible(media) ? media : undefined;
  if (type === 'text/plain') return { name: `page.${byPath ?? 'txt'}`, contentType };
  if (converted === undefined && !type.startsWith('text/')) return undefined;
  return { name: `page.${converted ?? 'txt'}`, contentType };
}

export function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}
