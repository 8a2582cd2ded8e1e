/*
 * Texts of runs in comments. Steps, models and strangers have written them, and they appear under the name of the
 * token's owner.
 */

/**
 * Markdown that notifies nobody and commands nothing: an invisible space stands after each `@`, before a slash that
 * begins a line (a quick action of GitLab, or a command for this service), and comments of HTML hide nothing.
 */
export function harmless(markdown: string): string {
  return markdown.replaceAll(/@(?=[\p{L}\p{N}_-])/gu, '@\u200B').replaceAll(/^([ \t>]*)\/(?=[a-z])/gim, '$1\u200B/')
    .replaceAll('<!--', '&lt;!--');
}

/** At most `most` characters of a text, with blocks of code closed, so that they do not swallow what follows. */
export function cutMarkdown(markdown: string, most: number): string {
  const isLong = markdown.length > most;
  const start = isLong ? markdown.slice(0, most).replace(/[\uD800-\uDBFF]$/, '') : markdown;
  const fence = openFence(start);
  return `${start}${fence === undefined ? '' : `\n${fence}`}${isLong ? '\n\n…' : ''}`;
}

/** The fence of the block of code in which a text ends; undefined outside of one. */
function openFence(markdown: string): string | undefined {
  let open: string | undefined;
  for (const line of markdown.split('\n')) {
    const [, fence, rest] = /^ {0,3}(`{3,100}|~{3,100})(.*)$/.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === undefined) open = fence;
    else if (fence[0] === open[0] && fence.length >= open.length && rest!.trim() === '') open = undefined;
  }
  return open;
}

/** Text in a cell of a table. */
export const cell = (text: string): string => harmless(text).replaceAll(/[\r\n]+/g, ' ').replaceAll('|', '\\|');

/** A line that all forges hide: a definition of a link. It stands first, where nothing can swallow it. */
export const hidden = (marker: string): string => `[comment]: # (quire:${marker})`;
