const PAGE_ENDING = /\.(?:html|htm|md|markdown|php|aspx)$/i;
const HOST = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i;

/**
 * The document key of a URL (decision D-37): its path percent-decoded, without outer slashes and a
 * final page ending, lowercased, and every `/` and run of characters outside `[a-z0-9._-]` made a
 * `-`; `index` when nothing is left. Host, query and fragment do not count. Never throws: the same
 * URL always has the same key, also when it is not a valid one.
 */
export function urlKey(url: string): string {
  const path = url.trim().replace(HOST, '').split(/[?#]/, 1)[0]!;
  const name = trimSlashes(trimSlashes(decode(path)).replace(PAGE_ENDING, ''));
  return name.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-') || 'index';
}

/** Percent-decodes; what does not decode to UTF-8 stays as it is. */
function decode(path: string): string {
  return path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (sequence) => {
    try {
      return decodeURIComponent(sequence);
    } catch {
      // Not UTF-8: a link in some older encoding, which is a name all the same.
      return sequence;
    }
  });
}

// Not /^\/+|\/+$/: on a run of slashes in the middle, that one takes quadratic time.
function trimSlashes(path: string): string {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return path.slice(start, end);
}
