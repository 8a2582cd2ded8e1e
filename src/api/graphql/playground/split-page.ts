/** The parts of a page that contains its style and its script. */
export interface SplitPage {
  readonly html: string;
  readonly css: string;
  readonly js: string;
}

/**
 * Extracts style and script from a page, so that it runs under a policy that allows no inline script, and so that the
 * browser can cache both. Throws if the page is not one style in its head and one script at its end.
 */
export function splitPage(page: string, links: { readonly css: string; readonly js: string }): SplitPage {
  const style = between(page, '<style>', page.indexOf('</style>'), '</style>');
  const script = between(page, '<script>', page.lastIndexOf('</script>'), '</script>');
  if (style.end > script.start) throw new Error('the style of the playground is not before its script');
  const html = [page.slice(0, style.start), `<link rel="stylesheet" href="${links.css}">`,
    page.slice(style.end, script.start), `<script src="${links.js}"></script>`, page.slice(script.end)].join('');
  return { html: html.trim(), css: style.content, js: script.content };
}

function between(page: string, open: string, close: number,
  closing: string): { start: number; end: number; content: string }
{
  const start = page.indexOf(open);
  if (start < 0 || close < start) throw new Error(`the page of the playground has no ${open}`);
  return { start, end: close + closing.length, content: page.slice(start + open.length, close) };
}
