// Endings of source code stay: they are how a document is recognised as code (decision D-38).
const MARKDOWN = /\.(?:md|mdx|markdown)$/i;

/** Files that the service makes markdown of (contract, section 4, `/v1/upload`). */
const CONVERTED = /\.(?:txt|html?|pdf|docx|odt|rtf|ya?ml|log|lex|tex|latex)$/i;

/** Whether a file of this name is markdown as it is. */
export const isMarkdownName = (name: string): boolean => MARKDOWN.test(name);

/** Whether a file of this name is sent for the service to convert. */
export const isConvertedName = (name: string): boolean => CONVERTED.test(name);

/** The ending of a name in lower case, without its dot; empty when it has none. */
export const endingOf = (name: string): string => /\.([a-z]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/**
 * The key of a file: its path relative to the imported folder with forward slashes, which keys may
 * hold (decision D-30), and without the ending of a markdown file. Files of other kinds keep theirs, so that `a.md` and `a.pdf`
 * are two documents.
 */
export function keyOfPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '').replace(MARKDOWN, '');
}
