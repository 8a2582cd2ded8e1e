/** A scheme before a colon, as in `https:`, `data:`, `sass:`; two characters at least, so no drive letter. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;
/** What carries its content in itself, or is no file at all. */
const INLINE = /^(?:data|blob|about|javascript|mailto|tel):/i;
/** Marks of template languages: the target is known only when the page is made. */
const PLACEHOLDER = /[{}]|<%|%>/;

/**
 * The path that an `href` or `src` in a document means, or undefined when it is no local file: another
 * site, inline data, mail, script, a place in the same document, or a template's placeholder. A bare
 * path is relative to the document (contract, "Code documents").
 */
export function resolveLocal(target: string, referrer: string): string | undefined {
  const url = target.trim();
  return isExternal(url) || PLACEHOLDER.test(url) ? undefined : resolveUrlPath(url, referrer);
}

/**
 * What an `@import` or `url()` in a style sheet means: a path like that of `resolveLocal`, or as written
 * where it leads outside (`https:`, `//`, the built-in `sass:` and the packages `~name` of bundlers).
 */
export function resolveStyleTarget(target: string, referrer: string): string | undefined {
  const url = target.trim();
  if (INLINE.test(url) || PLACEHOLDER.test(url)) return undefined;
  return isExternal(url) || url.startsWith('~') ? url : resolveUrlPath(url, referrer);
}

/**
 * What a module specifier means: a path when it is relative or starts with a slash; a bare one names a
 * package and is left unchanged, as is a URL.
 */
export function resolveModule(specifier: string, referrer: string): string | undefined {
  if (INLINE.test(specifier)) return undefined;
  return /^(?:\.{0,2}\/(?!\/)|\.{1,2}$)/.test(specifier) ? join(withoutSuffix(specifier), referrer) : specifier;
}

function isExternal(url: string): boolean {
  return url.startsWith('//') || SCHEME.test(url);
}

function resolveUrlPath(url: string, referrer: string): string | undefined {
  const path = withoutSuffix(url);
  return path === '' ? undefined : join(decode(path), referrer);
}

/** Query and fragment say which part or variant of a file, not which file. */
function withoutSuffix(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path; // a stray per cent sign stands for itself
    throw error;
  }
}

/** Joins as browsers do: `..` beyond the root stays at the root. Keys begin with a slash where the referrer's does. */
function join(path: string, referrer: string): string | undefined {
  const folder = path.startsWith('/') ? '' : referrer.slice(0, referrer.lastIndexOf('/') + 1);
  const segments: string[] = [];
  for (const segment of `${folder}${path}`.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  if (segments.length === 0) return undefined;
  return (referrer.startsWith('/') ? '/' : '') + segments.join('/');
}
