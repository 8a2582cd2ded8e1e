/** Whether a whole text matches. */
export type Glob = (text: string) => boolean;

/**
 * A pattern in which `*` stands for any characters and `?` for one character, or at the end of the pattern for one or
 * none. A test takes at most as many steps as the length of the text times the length of the pattern: once a later `*`
 * was reached, the match of an earlier one need never be reconsidered. A regular expression would try every way to
 * divide the text among all of them.
 */
export function createGlob(pattern: string): Glob {
  const wanted = [...pattern];
  const inside = wanted.findLastIndex((character) => character !== '?');
  return (text) => {
    const given = [...text];
    let [at, star, taken] = [0, -1, 0];
    for (let i = 0; i < given.length;) {
      if (wanted[at] === '*') {
        star = at++;
        taken = i;
      } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[i])) {
        at++;
        i++;
      } else if (star >= 0) {
        at = star + 1;
        i = ++taken;
      } else {
        return false;
      }
    }
    while (wanted[at] === '*') at++;
    return at > inside;
  };
}
