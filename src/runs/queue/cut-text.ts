/** At most so many UTF-16 units of a text, no character cut in half. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = /[\uD800-\uDBFF]$/.test(text.slice(0, most - 1));
  return `${text.slice(0, most - (half ? 2 : 1))}…`;
}
