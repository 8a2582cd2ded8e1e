// Endings of source code stay: they are how a document is recognised as code (decision D-38).
const MARKDOWN = /\.(?:md|mdx|markdown)$/i;

/** Whether a file of this name is taken from a folder. */
export const isMarkdownName = (name: string): boolean => MARKDOWN.test(name);

/**
 * The key of a file: its path relative to the imported folder with forward slashes, which keys may
 * hold (decision D-30), and without the ending of a markdown file.
 */
export function keyOfPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '').replace(MARKDOWN, '');
}
