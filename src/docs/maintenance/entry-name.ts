/**
 * Characters with a special meaning in file systems; `:` would make a drive letter of `C:`, and readers that drop a
 * byte order mark would see an absolute path after it.
 */
const SPECIAL = /[<>:"|?*\u0000-\u001f\u007f-\u009f\ufeff]/g;

/**
 * Names the entries of an export `{key}.{lang}.md` so that unpacking stays inside its folder on every system: relative,
 * with `/` between folders, without `..`. Each name is returned only once, ignoring case; a repeated one gets a number.
 */
export class EntryNames {
  /**
   * The names, with the last number that was given to each: many keys may have the same path, and none is tried from 1
   * again.
   */
  readonly #given = new Map<string, number>();

  next(key: string, lang: string): string {
    const path = safePath(key);
    const plain = `${path}.${lang}.md`;
    const identity = plain.toLowerCase();
    for (let i = (this.#given.get(identity) ?? 0) + 1;; i++) {
      const name = i === 1 ? plain : `${path}~${i}.${lang}.md`;
      if (i > 1 && this.#given.has(name.toLowerCase())) continue;
      if (i > 1) this.#given.set(name.toLowerCase(), 1);
      this.#given.set(identity, i);
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
