/** A part of a cache key: text, a placeholder that the machine or the run fills in, or the SHA-256 of files. */
export type CacheKeyPart = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'word';
  readonly word: CacheKeyWord } | { readonly kind: 'hash'; readonly files: readonly string[] };

const WORDS = ['os', 'arch', 'ref'] as const;
type CacheKeyWord = (typeof WORDS)[number];

const HASH = /^hash\(([^()]*)\)$/;
const QUOTED = /^'([^'\\]{1,512})'$/;

/**
 * Reads a key such as `deps-${{ os }}-${{ hash('package-lock.json', 'a/b.lock') }}`. If the key is invalid, returns a
 * text that says what is wrong with it.
 */
export function parseCacheKey(template: string): CacheKeyPart[] | string {
  const parts: CacheKeyPart[] = [];
  for (let at = 0; at < template.length;) {
    const begin = template.indexOf('${{', at);
    if (begin !== at) parts.push({ kind: 'text', text: template.slice(at, begin < 0 ? undefined : begin) });
    if (begin < 0) break;
    const end = template.indexOf('}}', begin);
    if (end < 0) return '${{ has no end: expected }}';
    const part = parseExpression(template.slice(begin + 3, end).trim());
    if (typeof part === 'string') return part;
    parts.push(part);
    at = end + 2;
  }
  return parts;
}

function parseExpression(expression: string): CacheKeyPart | string {
  const word = WORDS.find((each) => each === expression);
  if (word !== undefined) return { kind: 'word', word };
  const [, list] = HASH.exec(expression) ?? [];
  const files = (list ?? '').split(',').map((each) => QUOTED.exec(each.trim())?.[1]);
  if (list === undefined || files.includes(undefined))
    return `\${{ ${expression} }} is not known: expected os, arch, ref, or hash('FILE', ...)`;
  const outside = files.find((file) => file!.startsWith('/') || file!.split('/').includes('..'));
  if (outside !== undefined) return `hash('${outside}'): expected a file below the work folder`;
  return { kind: 'hash', files: files as string[] };
}
