import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { useMemo } from 'preact/hooks';

/** The HTML that a document may contain; styles, forms and frames could imitate the console, and media would be loaded from any path of the server. */
const ALLOWED = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'iframe', 'dialog', 'audio', 'video', 'picture', 'source', 'track'],
  FORBID_ATTR: ['style', 'id', 'name', 'class', 'srcset', 'background', 'poster', 'ping'],
  // In a document without a window, in which nothing is loaded.
  RETURN_DOM: true as const,
};

/** Rendered markdown. HTML in documents is reduced to harmless elements; of images, only those are shown that the document contains. */
export function Markdown({ text }: { readonly text: string }) {
  const html = useMemo(() => render(text), [text]);
  return <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}

function render(text: string): string {
  const root = DOMPurify.sanitize(marked.parse(text, { async: false, gfm: true }), ALLOWED) as HTMLElement;
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
