import { CATEGORY, FILE, namespaceOf } from '../site.ts';
import type { PageContext } from './context.ts';
import { linkTarget } from './escape.ts';

interface LinkReader {
  readonly context: PageContext;
  /** Reads the wikitext of a link's text. */
  readonly inner: (text: string, isPlain?: boolean) => string;
  readonly isPlain: boolean;
}

/** The converted link, and its end including the letters that belong to it. */
interface Link {
  readonly text: string;
  readonly end: number;
}

/** Letters immediately after a link are part of its text. */
const TRAIL = /[\p{Ll}\p{Lo}\p{M}]{1,40}/uy;

/** In scripts that have no space between words, the whole sentence would become part of the link. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** A prefix of another language's wiki. */
const LANGUAGE = /^(?:[a-z]{2,3}(?:-[a-z]{2,10}){0,2}|simple|roa-[a-z-]{3,8}):/;

/** Reads `[[content]]`, which ends at `end` of the line. */
export function readLink(content: string, line: string, end: number, reader: LinkReader): Link {
  const { context: { site, categories, title } } = reader;
  const bar = content.indexOf('|');
  const given = (bar < 0 ? content : content.slice(0, bar)).trim();
  const isPlainLink = given.startsWith(':');
  const target = isPlainLink ? given.slice(1).trim() : given;
  if (target === '' || /[{}<>[\]\n]/.test(target))
    return { text: `[[${reader.inner(content)}]]`.replaceAll('[[', reader.isPlain ? '[[' : '\\[\\['), end };
  const namespace = namespaceOf(site, target);
  if (!isPlainLink && namespace === CATEGORY) {
    if (categories.size < MAX_CATEGORIES)
      categories.add(target.slice(target.indexOf(':') + 1).trim().replaceAll('_', ' ').slice(0, 500));
    return { text: '', end };
  }
  if (!isPlainLink && namespace === FILE)
    return { text: image(target, bar < 0 ? '' : content.slice(bar + 1), reader), end };
  if (!isPlainLink && namespace === undefined && LANGUAGE.test(target) && bar < 0 && isAlone(line))
    return { text: '', end };
  const trail = trailAt(line, end);
  const shown =
    (bar < 0
      ? reader.inner(target.replaceAll('_', ' '))
      : reader.inner(content.slice(bar + 1)).trim() || reader.inner(withoutPrefix(target))) + trail;
  const isOwn = target.startsWith('#');
  const text = reader.isPlain || target === title
    ? shown
    : `[${shown}](${isOwn ? `#${linkTarget(target.slice(1))}` : linkTarget(target)})`;
  return { text, end: end + trail.length };
}

const MAX_CATEGORIES = 500;

function trailAt(line: string, end: number): string {
  TRAIL.lastIndex = end;
  const trail = TRAIL.exec(line)?.[0] ?? '';
  return WITHOUT_SPACES.test(trail) ? '' : trail;
}

/** Links to other languages stand on their own lines; within a sentence, a name such as `os:x` is a page. */
function isAlone(line: string): boolean {
  return line.startsWith('[[') && line.trimEnd().endsWith(']]');
}

/** `Berlin` for `Berlin (Maryland)` and for `Help:Berlin`; used if the text of a link is empty. */
function withoutPrefix(target: string): string {
  return target.slice(target.indexOf(':') + 1).replace(/ \([^()]{1,100}\)$/, '');
}

const OPTION =
  /^(?:thumb|thumbnail|mini|miniatur|vignette|frame|framed|frameless|border|left|right|center|centre|none|baseline|middle|sub|super|top|text-top|bottom|text-bottom|gallery|upright(?:=.{0,20})?|(?:\d{1,5}(?:x\d{1,5})?|x\d{1,5}) ?px|(?:link|lang|page|class|thumb|manualthumb)=.{0,400})$/i;

/** An image by its name, followed by its caption if there is one. */
function image(target: string, options: string, { inner, isPlain }: LinkReader): string {
  let [alt, caption, isFramed] = ['', '', false];
  for (const option of divide(options)) {
    const text = option.trim();
    if (/^alt\s?=/i.test(text)) alt = text.slice(text.indexOf('=') + 1);
    else if (OPTION.test(text))
      isFramed ||= /^(?:thumb|thumbnail|mini|miniatur|vignette|frame|framed|gallery)/i.test(text);
    else if (text !== '') caption = text;
  }
  const shown = inner(caption);
  if (isPlain) return shown;
  const name = target.slice(target.indexOf(':') + 1).trim();
  const described = (inner(alt, true) || (isFramed ? '' : inner(caption, true)) || name.replaceAll('_', ' ')).replace(
    /[[\]\\`*_<>!]/g,
    '\\$&',
  ).replaceAll('\n', ' ');
  const picture = `![${described}](File:${linkTarget(name)})`;
  return isFramed && shown !== '' ? `${picture} ${shown}` : picture;
}

/** Splits options at bars, except bars within links. */
function divide(options: string): string[] {
  const parts: string[] = [];
  let [from, depth] = [0, 0];
  for (let at = 0; at < options.length; at++) {
    const pair = options.slice(at, at + 2);
    if (pair === '[[') depth++;
    else if (pair === ']]') depth = Math.max(0, depth - 1);
    else if (options[at] === '|' && depth === 0) {
      parts.push(options.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, options.slice(from)];
}
