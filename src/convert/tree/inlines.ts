import type { PhrasingContent } from 'mdast';
import { remembered } from '../remembered.ts';
import { scriptText } from './scripts.ts';

/** The formatting of a piece of text; absent properties are plain. */
export interface Look {
  readonly strong?: boolean;
  readonly emphasis?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly href?: string;
  readonly script?: 'super' | 'sub';
}

/** A piece of a paragraph in reading order. */
export type Inline = { readonly kind: 'text'; readonly value: string; readonly look: Look } | { readonly kind: 'break';
  readonly look: Look } | { readonly kind: 'image'; readonly alt: string; readonly url: string; readonly look: Look }
  | { readonly kind: 'math'; readonly value: string; readonly look: Look } | { readonly kind: 'note';
  readonly id: string; readonly look: Look };

const PLAIN: Look = {};

/** Decides how markdown nests the marks: a link outside, code inside. */
const ORDER = ['href', 'strike', 'strong', 'emphasis', 'code'] as const;
type Mark = (typeof ORDER)[number];

export function text(value: string, look: Look = PLAIN): Inline {
  return { kind: 'text', value, look };
}

/**
 * Phrasing content of a paragraph. Adjacent runs with the same formatting are merged, because editors split words into
 * runs. White space at the edges of a mark is moved outside it, as markdown requires.
 */
export function phrasing(inlines: readonly Inline[]): PhrasingContent[] {
  return wrap(trim(settled(inlines)), ORDER, ['', '']);
}

/** Only the text, with line breaks as spaces. */
export function inlineText(inlines: readonly Inline[]): string {
  return settled(inlines).map(shownText).join('');
}

function shownText(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
    case 'math':
      return inline.value;
    case 'image':
      return inline.alt;
    default:
      return inline.kind === 'break' ? ' ' : '';
  }
}

export function isBlank(inlines: readonly Inline[]): boolean {
  return inlines.every((inline) => inline.kind === 'break' || (inline.kind === 'text' && inline.value.trim() === ''));
}

/** The same pieces without some of their marks; headings, for example, are bold without saying so. */
export function without(inlines: readonly Inline[], ...marks: readonly Mark[]): Inline[] {
  return inlines.map((inline) => ({
    ...inline,
    look: Object.fromEntries(Object.entries(inline.look).filter(([mark]) => !marks.includes(mark as Mark))) as Look,
  }));
}

/** Merged pieces, with superscripts as characters, and with spaces between pictures and words. */
function settled(inlines: readonly Inline[]): Inline[] {
  const merged = merge(inlines);
  if (!merged.some(({ kind, look }) => kind === 'image' || look.script !== undefined)) return merged;
  let before = '';
  let afterPicture = false;
  const out: Inline[] = [];
  for (const inline of merged) {
    if (inline.kind === 'image' && inline.alt !== '' && /[^\s([{"'“‘«]$/u.test(before))
      out.push(text(' ', inline.look));
    const { script, ...look } = inline.look;
    const value = inline.kind === 'text' && script !== undefined
      ? scriptText(inline.value, script, before)
      : shownText(inline);
    if (afterPicture && /^[\p{L}\p{N}([{"'“‘«]/u.test(value) && inline.kind !== 'image') out.push(text(' ', look));
    out.push(inline.kind === 'text' ? text(value, look) : { ...inline, look });
    before = (before + value).slice(-8);
    afterPicture = inline.kind === 'image';
  }
  return merge(out);
}

function merge(inlines: readonly Inline[]): Inline[] {
  const merged: Inline[] = [];
  for (const inline of inlines) {
    const last = merged.at(-1);
    if (inline.kind === 'text') {
      if (inline.value === '') continue;
      if (last?.kind === 'text' && sameLook(last.look, inline.look)) {
        merged[merged.length - 1] = text(last.value + inline.value, inline.look);
        continue;
      }
    }
    merged.push(inline);
  }
  return merged;
}

function sameLook(a: Look, b: Look): boolean {
  return a === b || (a.script === b.script && ORDER.every((mark) => (a[mark] ?? false) === (b[mark] ?? false)));
}

function trim(inlines: Inline[]): Inline[] {
  let [start, end] = [0, inlines.length];
  while (start < end && isBlank([inlines[start]!])) start += 1;
  while (end > start && isBlank([inlines[end - 1]!])) end -= 1;
  const kept = inlines.slice(start, end);
  const [first, last] = [kept[0], kept.at(-1)];
  if (first?.kind === 'text') kept[0] = text(first.value.trimStart(), first.look);
  const lastNow = kept.length === 1 ? kept[0] : last;
  if (lastNow?.kind === 'text') kept[kept.length - 1] = text(lastNow.value.trimEnd(), lastNow.look);
  return kept;
}

/**
 * Marks with the largest extent go outside, so that a word with strikethrough in italic text stays inside one pair of
 * asterisks.
 */
function wrap(inlines: readonly Inline[], marks: readonly Mark[], around: Around): PhrasingContent[] {
  const out: PhrasingContent[] = [];
  for (let start = 0; start < inlines.length;) {
    let best: { mark: Mark; end: number } | undefined;
    for (const mark of marks) {
      if (inlines[start]!.look[mark] === undefined || best?.mark === 'href') continue;
      const end = reach(inlines, start, mark);
      if (best === undefined || (end > best.end && mark !== 'code')) best = { mark, end };
    }
    if (best === undefined) out.push(...leaf(inlines[start]!));
    else {
      const beside: Around = [start === 0 ? around[0] : lastOf(inlines[start - 1]!),
        best.end === inlines.length ? around[1] : firstOf(inlines[best.end]!)];
      out.push(
        ...marked(inlines.slice(start, best.end), best.mark, marks.filter((mark) => mark !== best.mark), beside),
      );
    }
    start = best?.end ?? start + 1;
  }
  return out;
}

function reach(inlines: readonly Inline[], start: number, mark: Mark): number {
  let end = start + 1;
  while (end < inlines.length && continues(inlines, end, mark, inlines[start]!.look[mark]!)) end += 1;
  return end;
}

/** White space between two bold words becomes bold, whatever the file says, so that they stay one phrase. */
function continues(inlines: readonly Inline[], at: number, mark: Mark, value: string | boolean): boolean {
  const inline = inlines[at]!;
  // A code span holds no link.
  if (mark === 'code' && inline.look.href !== inlines[at - 1]!.look.href) return false;
  if (inline.look[mark] === value) return true;
  const next = inlines[at + 1];
  return mark !== 'code' && mark !== 'href' && inline.kind === 'text' && inline.value.trim() === '' &&
    next?.look[mark] === value;
}

function marked(group: readonly Inline[], mark: Mark, inner: readonly Mark[], around: Around): PhrasingContent[] {
  if (mark === 'code') return code(group);
  const { before, core, after } = edges(group, mark === 'href' ? undefined : around);
  const rest = (inlines: Inline[], beside: Around) =>
    wrap(mark === 'href' ? inlines.map(plain) : without(inlines, mark), inner, beside);
  if (core.length === 0) return rest([...before, ...after], around);
  const own: Around = [before.length === 0 ? around[0] : lastOf(before.at(-1)!),
    after.length === 0 ? around[1] : firstOf(after[0]!)];
  return [...rest(before, [around[0], firstOf(core[0]!)]), markNode(mark, wrap(core, inner, own), core[0]!.look.href),
    ...rest(after, [lastOf(core.at(-1)!), around[1]])];
}

function plain(inline: Inline): Inline {
  return { ...inline, look: PLAIN };
}

function markNode(mark: Exclude<Mark, 'code'>, children: PhrasingContent[], href = ''): PhrasingContent {
  if (mark === 'href') return { type: 'link', url: href, children };
  return { type: mark === 'strong' ? 'strong' : mark === 'strike' ? 'delete' : 'emphasis', children };
}

function code(group: readonly Inline[]): PhrasingContent[] {
  // A code span contains only characters; anything else ends it, and other marks do not divide it.
  const nodes: PhrasingContent[] = [];
  for (const inline of merge(group.map((piece) => ({ ...piece, look: piece.kind === 'text' ? PLAIN : piece.look })))) {
    if (inline.kind !== 'text') nodes.push(...leaf(inline));
    else {
      // White space at the edges is text, as for other marks.
      const value = inline.value.trim();
      const start = inline.value.length - inline.value.trimStart().length;
      const parts = [inline.value.slice(0, value === '' ? undefined : start), inline.value.slice(start + value.length)];
      if (parts[0] !== '') nodes.push({ type: 'text', value: parts[0]! });
      if (value !== '') nodes.push({ type: 'inlineCode', value });
      if (value !== '' && parts[1] !== '') nodes.push({ type: 'text', value: parts[1]! });
    }
  }
  return nodes;
}

/**
 * The parts of a group that cannot be inside its mark: white space at its edges and, next to a letter outside,
 * punctuation and parts of words, because the mark would not close there in markdown. Characters of scripts without
 * spaces between words may be marked individually.
 */
function edges(group: readonly Inline[],
  around: Around | undefined): { before: Inline[]; core: Inline[]; after: Inline[] }
{
  const before: Inline[] = [];
  const after: Inline[] = [];
  const core = [...group];
  for (let first = core[0]; first !== undefined; first = core[0]) {
    const outside = before.length === 0 ? (around?.[0] ?? '') : lastOf(before.at(-1)!);
    const length = first.kind === 'text'
      ? cutAtStart(first.value, around === undefined ? '' : outside)
      : first.kind === 'break'
      ? 1
      : 0;
    if (length === 0) break;
    move(core, before, 'start', first.kind === 'text' ? length : 1);
  }
  for (let last = core.at(-1); last !== undefined; last = core.at(-1)) {
    const outside = after.length === 0 ? (around?.[1] ?? '') : firstOf(after[0]!);
    const length = last.kind === 'text'
      ? cutAtEnd(last.value, around === undefined ? '' : outside)
      : last.kind === 'break'
      ? 1
      : 0;
    if (length === 0) break;
    move(core, after, 'end', last.kind === 'text' ? length : 1);
  }
  return { before, core, after };
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Number of characters at the beginning of a text that must stay outside if a character precedes them. */
function cutAtStart(value: string, outside: string): number {
  const blank = value.length - value.trimStart().length;
  if (blank > 0 || !LETTER.test(outside)) return blank;
  let length = 0;
  for (const character of value) {
    const letter = LETTER.test(character);
    if (character.trim() === '' || (length === 0 && letter && (UNSPACED.test(character) || UNSPACED.test(outside))))
      break;
    if (length > 0 && letter !== LETTER.test(value[0]!)) break;
    length += character.length;
  }
  return length;
}

function cutAtEnd(value: string, outside: string): number {
  const blank = value.length - value.trimEnd().length;
  return blank > 0 ? blank : cutAtStart([...value.slice(-200)].reverse().join(''), outside);
}

/** Moves some characters, or a piece that is not text, from an end of the core to the pieces beside it. */
function move(core: Inline[], beside: Inline[], end: 'start' | 'end', length: number): void {
  const piece = end === 'start' ? core.shift()! : core.pop()!;
  const taken: Inline = piece.kind !== 'text'
    ? piece
    : text(end === 'start' ? piece.value.slice(0, length) : piece.value.slice(piece.value.length - length), piece.look);
  const left = piece.kind !== 'text'
    ? ''
    : end === 'start'
    ? piece.value.slice(length)
    : piece.value.slice(0, piece.value.length - length);
  if (end === 'start') {
    beside.push(taken);
    if (left !== '') core.unshift(text(left, piece.look));
  } else {
    beside.unshift(taken);
    if (left !== '') core.push(text(left, piece.look));
  }
}

/** The characters immediately before and after a group; empty at the ends of a paragraph. */
type Around = readonly [before: string, after: string];

function firstOf(inline: Inline): string {
  return inline.kind === 'text'
    ? String.fromCodePoint(inline.value.codePointAt(0) ?? 32)
    : inline.kind === 'break'
    ? '\n'
    : '.';
}

function lastOf(inline: Inline): string {
  return inline.kind === 'text' ? ([...inline.value.slice(-2)].at(-1) ?? ' ') : inline.kind === 'break' ? '\n' : '.';
}

function leaf(inline: Inline): PhrasingContent[] {
  switch (inline.kind) {
    case 'text':
      return [{ type: 'text', value: inline.value }];
    case 'break':
      return [{ type: 'break' }];
    case 'image':
      return inline.alt === '' ? [] : [{ type: 'image', url: inline.url, alt: inline.alt }];
    case 'math':
      return [{ type: 'html', value: inline.value }];
    case 'note':
      return [{ type: 'footnoteReference', identifier: inline.id, label: inline.id }];
  }
}

const MONOSPACE =
  /^(?:consolas|courier|lucida console|lucida sans typewriter|menlo|monaco|inconsolata|hack|fira code|cascadia code|source code|terminal|fixedsys)|mono(?:spaced?)?(?:\s|$)/i;

/** Whether a font is one that is used for code. */
export const isMonospace = remembered((font) => MONOSPACE.test(font.trim()));
