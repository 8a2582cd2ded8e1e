const PAGE_ENDING = /\.(?:html|htm|md|markdown|php|aspx)$/i;
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*)/i;
/** Marks belong to the letter before them: many scripts write their vowels as marks. */
const NO_LETTER = /[^\p{L}\p{M}\p{Nd}._-]+/gu;

/** The parts of a URL that form its key. */
type KeySource = 'path' | 'url';

/**
 * The document key of a URL: its path, percent-decoded, without outer slashes and without the extension of a page,
 * lowercased; every `/`, and every run of characters other than letters and digits of any script, `.`, `_` and `-`, is
 * replaced by `-`; `index` if nothing is left. With `url`, host and port precede the path, and the query follows it.
 * User names, passwords and the fragment are ignored. Never throws: the same URL always has the same key, even if it is
 * invalid.
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

/** Composed first, so that a letter is the same, however its accent is encoded. */
function slug(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(NO_LETTER, '-');
}

/** Percent-decodes; sequences that do not decode to UTF-8 stay unchanged. */
function decode(path: string): string {
  return path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (sequence) => {
    try {
      return decodeURIComponent(sequence);
    } catch {
      // Not UTF-8: a link in an older encoding, which is still a valid name.
      return sequence;
    }
  });
}

// Not /^\/+|\/+$/: that one takes quadratic time on a run of slashes in the middle.
function trimSlashes(path: string): string {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return path.slice(start, end);
}
