/**
 * Characters with a special meaning in file systems; `:` would make a drive letter of `C:`, and readers that drop a byte order mark would
 * see an absolute path after it.
 */
const SPECIAL = /[<>:"|?*\u0000-\u001f\u007f-\u009f\ufeff]/g;

/**
 * Names the entries of an export `{key}.{lang}.md` (decision D-72) so that unpacking stays inside its folder on every system: relative,
 * with `/` between folders, without `..`. Each name is returned only once, ignoring case; a repeated one gets a number.
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

/** Removes final dots and spaces, as Windows does; nothing is left of `.` and `..`. */
function safePart(part: string): string {
  return part.replace(SPECIAL, '_').replace(/[. ]+$/, '');
}
