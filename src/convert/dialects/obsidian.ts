import { changeLines, outsideCode } from './lines.ts';

/** The key of the document, or the path of the file, that a link names; undefined if there is none. */
export type KeyOf = (target: string) => string | undefined;

/** `[[target#part|text]]`, with `!` before it if the target is shown there. `[[1]](…)` is a link of markdown. */
const LINK = /(!?)\[\[([^[\]|\n]{0,500})(?:\\?\|([^[\]\n]{0,500}))?\]\](?!\()/g;
const CALLOUT = /^((?:[ \t]*>)+)[ \t]*\[!([A-Za-z][\w-]{0,30})(?:\|[^\]\n]{0,50})?\][+-]?/;
/** The name of a block at the end of its line, to which links may point. */
const BLOCK_NAME = /[ \t]\^[A-Za-z0-9-]{3,60}[ \t]*(\r?)$/;
const PICTURE = /\.(?:png|jpe?g|gif|svg|webp|avif|bmp)$/i;
const SIZE = /^\d{1,5}(?:x\d{1,5})?$/;

/**
 * Markdown of Obsidian in the form that every reader knows: links with double brackets as links to keys, embedded notes
 * as links and embedded pictures as pictures, callouts as quotations under their title, without the names of blocks.
 * Code stays as it is, and so does a text without any of them.
 */
export function withPlainLinks(markdown: string, keyOf: KeyOf): string {
  const [links, callouts, names] = [markdown.includes('[['), markdown.includes('[!'), /[ \t]\^/.test(markdown)];
  if (!links && !callouts && !names) return markdown;
  return changeLines(markdown, (line) => {
    const plain = names ? line.replace(BLOCK_NAME, '$1') : line;
    const titled = callouts ? withTitle(plain) : plain;
    return links && titled.includes('[[')
      ? outsideCode(titled, (text) =>
        text.replace(LINK, (whole, embeds: string, target: string, shown?: string) =>
          linkOf(target.replace(/\\$/, ''), shown, embeds === '!', keyOf) ?? whole))
      : titled;
  });
}

/** The first line of a callout as a quotation of its kind and title; other lines as they are. */
function withTitle(line: string): string {
  const match = CALLOUT.exec(line);
  if (match === null) return line;
  const [whole, quote = '', kind = ''] = match;
  const label = kind.charAt(0).toUpperCase() + kind.slice(1).toLowerCase();
  const title = line.slice(whole.length).trim().replaceAll('**', '');
  return `${quote} **${label}${title === '' ? '' : `: ${title}`}**${line.endsWith('\r') ? '\r' : ''}`;
}

function linkOf(target: string, shown: string | undefined, embeds: boolean, keyOf: KeyOf): string | undefined {
  const [name = '', ...parts] = target.split('#').map((part) => part.trim());
  const heading = parts.filter((part) => part !== '' && !part.startsWith('^')).at(-1);
  if (name === '' && parts.join('') === '') return undefined;
  // Lists in brackets, as of numbers, are no names.
  if (name !== '' && !/[\p{L}\p{N}]/u.test(name)) return undefined;
  const key = name === '' ? '' : keyOf(name);
  const given = shown?.trim() ?? '';
  if (embeds && PICTURE.test(name)) {
    const alt = given === '' || SIZE.test(given) ? name.slice(name.lastIndexOf('/') + 1) : given;
    return `![${alt}](${address(key ?? name)})`;
  }
  const text = given !== '' && !(embeds && SIZE.test(given))
    ? given
    : [name.replace(/\.md$/i, ''), ...(heading === undefined ? [] : [heading])].filter((part) => part !== '').join(
      ' > ',
    );
  if (key === undefined || text === '') return text === '' ? name : text;
  const anchor = heading === undefined ? '' : `#${address(heading.toLowerCase().replaceAll(' ', '-'))}`;
  // A block of the same note has no address.
  return key === '' && anchor === '' ? text : `[${text}](${address(key)}${anchor})`;
}

/** An address in the form that markdown needs: without spaces and brackets. */
function address(path: string): string {
  return path.replace(/[\s()<>\\]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** The key that an upload of the file would have: its name in lower case, with hyphens for spaces. */
export function keyOfTarget(target: string): string {
  const base = target.slice(target.lastIndexOf('/') + 1);
  return (PICTURE.test(base) ? base : base.replace(/\.mdx?$|\.markdown$/i, '')).trim().normalize('NFC').toLowerCase()
    .replaceAll(' ', '-');
}

/**
 * Finds keys among those of a folder's files as Obsidian does: by the whole path, or by its end, whatever the letter
 * case. Of several, the one with the shortest path is meant.
 */
export function keysOfPaths(keys: Iterable<string>): KeyOf {
  const byName = new Map<string, string[]>();
  for (const key of keys) {
    const name = key.slice(key.lastIndexOf('/') + 1).toLowerCase();
    const same = byName.get(name);
    if (same === undefined) byName.set(name, [key]);
    else same.push(key);
  }
  for (const same of byName.values()) same.sort((a, b) => a.length - b.length);
  return (target) => {
    const path = target.replace(/^(?:\.{0,2}\/)+/, '').replace(/\.mdx?$|\.markdown$/i, '').toLowerCase();
    const same = byName.get(path.slice(path.lastIndexOf('/') + 1));
    return same?.find((key) => key.toLowerCase() === path || key.toLowerCase().endsWith(`/${path}`));
  };
}
