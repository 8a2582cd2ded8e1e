import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type Lines, showPassage } from './lines.ts';
import { LineRenderer } from './line-renderer.ts';

/** The HTML that a document may contain; styles, forms and frames could imitate the console, and media would be loaded from any path of the server. */
const ALLOWED = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'iframe', 'dialog', 'audio', 'video', 'picture', 'source', 'track'],
  FORBID_ATTR: ['style', 'id', 'name', 'class', 'srcset', 'background', 'poster', 'ping'],
  // In a document without a window, in which nothing is loaded.
  RETURN_DOM: true as const,
};

interface MarkdownProps {
  readonly text: string;
  /** Lines of the text whose paragraphs are shown at once. */
  readonly at?: Lines | undefined;
}

/** Rendered markdown. HTML in documents is reduced to harmless elements; of images, only those are shown that the document contains. */
export function Markdown({ text, at }: MarkdownProps) {
  const prose = useRef<HTMLDivElement>(null);
  const html = useMemo(() => render(text), [text]);
  useLayoutEffect(() => at && showPassage(blocksAt(prose.current!, at)), [html, at?.start, at?.end]);
  return <div ref={prose} class="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** The smallest blocks in which lines begin, and the one that the first of them continues. */
function blocksAt(prose: HTMLElement, { start, end }: Lines): HTMLElement[] {
  const lineOf = (block: HTMLElement): number => Number(block.dataset['line']);
  const blocks = [...prose.querySelectorAll<HTMLElement>('[data-line]')].filter((block) => lineOf(block) <= end);
  const first = blocks.findLastIndex((block) => lineOf(block) <= start);
  const found = blocks.slice(Math.max(0, first));
  return found.filter((block) => !found.some((other) => other !== block && block.contains(other)));
}

function render(text: string): string {
  const tokens = marked.lexer(text, { gfm: true });
  const html = marked.parser(tokens, { gfm: true, renderer: new LineRenderer(tokens) });
  const root = DOMPurify.sanitize(html, ALLOWED) as HTMLElement;
  // A row of a table is a line; the second one divides the head from the body.
  for (const table of root.querySelectorAll<HTMLTableElement>('table[data-line]'))
    for (const [index, row] of [...table.rows].entries()) row.dataset['line'] = String(Number(table.dataset['line']) + index + Math.min(1, index));
  for (const image of root.querySelectorAll('img')) showImage(image);
  // What is too wide scrolls, and can be scrolled by the keyboard only if it can have the focus.
  for (const wide of root.querySelectorAll('pre, table')) wide.setAttribute('tabindex', '0');
  for (const link of root.querySelectorAll('a')) openElsewhere(link);
  return root.innerHTML;
}

/** Replaces an image that would be loaded from a server by a link to it, or by its text within a link. */
function showImage(image: HTMLImageElement): void {
  const source = image.getAttribute('src') ?? '';
  const alt = image.getAttribute('alt') ?? '';
  if (/^(?:data|blob):/i.test(source)) return image.setAttribute('alt', alt);
  const isLink = source !== '' && image.closest('a') === null;
  const shown = image.ownerDocument.createElement(isLink ? 'a' : 'span');
  if (isLink) shown.setAttribute('href', source);
  shown.className = 'image';
  shown.textContent = alt || source || 'image';
  image.replaceWith(shown);
}

function openElsewhere(link: HTMLAnchorElement): void {
  link.setAttribute('rel', 'noopener noreferrer');
  if (!link.getAttribute('href')?.startsWith('#')) link.setAttribute('target', '_blank');
}
