/**
 * What file systems give a meaning of its own; `:` would make a drive letter of `C:`, and readers that
 * drop a byte order mark would see an absolute path behind it.
 */
const SPECIAL = /[<>:"|?*\u0000-\u001f\u007f-\u009f\ufeff]/g;

/**
 * Names the entries of an export `{key}.{lang}.md` (decision D-72) so that unpacking stays inside
 * its folder on every system: relative, with `/` between folders, without `..`. Each name is given
 * once, letter case aside; a second one gets a number.
 */
export class EntryNames {
  readonly #given = new Set<string>();

  next(key: string, lang: string): string {
    const path = safePath(key);
    for (let i = 1; ; i++) {
      const name = i === 1 ? `${path}.${lang}.md` : `${path}~${i}.${lang}.md`;
      const identity = name.toLowerCase();
      if (this.#given.has(identity)) continue;
      this.#given.add(identity);
      return name;
    }
  }
}

function safePath(key: string): string {
  const parts = key.replaceAll('\\', '/').split('/').map(safePart).filter((part) => part !== '');
  return parts.join('/') || '_';
}

/** Final dots and spaces go, as Windows drops them anyway; nothing is left of `.` and `..`. */
function safePart(part: string): string {
  return part.replace(SPECIAL, '_').replace(/[. ]+$/, '');
}
