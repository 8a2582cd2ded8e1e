const PAGE_ENDING = /\.(?:html|htm|md|markdown|php|aspx)$/i;
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*)/i;
/** Marks belong to the letters that they stand on: many scripts write their vowels so. */
const NO_LETTER = /[^\p{L}\p{M}\p{Nd}._-]+/gu;

/** What of a URL makes its key. */
export type KeySource = 'path' | 'url';

/**
 * The document key of a URL (decision D-37): its path percent-decoded, without outer slashes and a
 * final page ending, lowercased, and every `/` and run of other characters than letters and digits of
 * any script, `.`, `_` and `-` made a `-`; `index` when nothing is left. From `url`, host and port come
 * before the path and the query after it. User names, passwords and the fragment never count. Never
 * throws: the same URL always has the same key, also when it is not a valid one.
 */
export function urlKey(url: string, from: KeySource = 'path'): string {
  const whole = url.trim();
  const [beginning = '', authority = ''] = AUTHORITY.exec(whole) ?? [];
  const [path = '', ...query] = whole.slice(beginning.length).split('#', 1)[0]!.split('?');
  const name = slug(trimSlashes(trimSlashes(decode(path)).replace(PAGE_ENDING, '')));
  if (from === 'path') return name || 'index';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return [slug(host), name, slug(decode(query.join('?')))].filter((part) => part !== '').join('-') || 'index';
}

/** Composed first, so that a letter is the same however its accent is encoded. */
function slug(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(NO_LETTER, '-');
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
