import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { useMemo } from 'preact/hooks';

/** The HTML that a document may contain; styles, forms and frames could imitate the console. */
const ALLOWED = { USE_PROFILES: { html: true }, FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'iframe', 'dialog'], FORBID_ATTR: ['style', 'id', 'name', 'class'] };

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'IMG' && !node.hasAttribute('alt')) node.setAttribute('alt', '');
  // What is too wide scrolls, and can be scrolled by the keyboard only if it can have the focus.
  if (node.tagName === 'PRE' || node.tagName === 'TABLE') node.setAttribute('tabindex', '0');
  if (node.tagName !== 'A') return;
  node.setAttribute('rel', 'noopener noreferrer');
  if (!node.getAttribute('href')?.startsWith('#')) node.setAttribute('target', '_blank');
});

/** Rendered markdown. HTML in documents is reduced to harmless elements. */
export function Markdown({ text }: { readonly text: string }) {
  const html = useMemo(() => DOMPurify.sanitize(marked.parse(text, { async: false, gfm: true }), ALLOWED), [text]);
  return <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}
