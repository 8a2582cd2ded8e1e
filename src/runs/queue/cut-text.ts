/** Cuts a text to at most this many UTF-16 units, without splitting a character. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = /[\uD800-\uDBFF]$/.test(text.slice(0, most - 1));
  return `${text.slice(0, most - (half ? 2 : 1))}…`;
}
