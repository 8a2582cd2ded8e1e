/** A scheme before a colon, as in `https:`, `data:`, `sass:`; at least two characters, which excludes drive letters. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;
/** URLs that contain their content, or do not refer to a file. */
const INLINE = /^(?:data|blob|about|javascript|mailto|tel):/i;
/** Placeholders of template languages: the target is known only when the page is generated. */
const PLACEHOLDER = /[{}]|<%|%>/;

/**
 * The path that an `href` or `src` in a document refers to, or undefined if it is not a local file: another site,
 * inline data, mail, script, a fragment of the same document, or a template's placeholder. A bare path is relative to
 * the document (contract, "Code documents").
 */
export function resolveLocal(target: string, referrer: string): string | undefined {
  const url = target.trim();
  return isExternal(url) || PLACEHOLDER.test(url) ? undefined : resolveUrlPath(url, referrer);
}

/**
 * The target of an `@import` or `url()` in a style sheet: a path as from `resolveLocal`, or the original text for
 * external targets (`https:`, `//`, the built-in `sass:` and the packages `~name` of bundlers).
 */
export function resolveStyleTarget(target: string, referrer: string): string | undefined {
  const url = target.trim();
  if (INLINE.test(url) || PLACEHOLDER.test(url)) return undefined;
  return isExternal(url) || url.startsWith('~') ? url : resolveUrlPath(url, referrer);
}

/**
 * The target of a module specifier: a path if it is relative or starts with a slash; a bare one names a package and is
 * unchanged, as is a URL.
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

/** Query and fragment select a part or variant of a file, not another file. */
function withoutSuffix(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path; // an invalid percent sequence is literal
    throw error;
  }
}

/**
 * Joins paths as browsers do: `..` beyond the root stays at the root. The result begins with a slash if the referrer's
 * path does.
 */
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
