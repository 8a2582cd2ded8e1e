// Extensions of source code stay, because a document is recognised as code by them.
const MARKDOWN = /\.(?:md|mdx|markdown)$/i;

/** Files that the service converts to markdown (contract, section 4, `/v1/upload`). */
const CONVERTED = /\.(?:txt|html?|pdf|docx|odt|rtf|ya?ml|log|lex|tex|latex)$/i;

/** Whether a file with this name is already markdown. */
export const isMarkdownName = (name: string): boolean => MARKDOWN.test(name);

/** Whether a file with this name is sent to the service for conversion. */
export const isConvertedName = (name: string): boolean => CONVERTED.test(name);

/** The extension of a name in lower case, without its dot; empty if it has none. */
export const endingOf = (name: string): string => /\.([a-z]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/**
 * The key of a file: its path relative to the imported folder with forward slashes, which keys may
 * contain, and without the extension of a markdown file. Files of other types keep theirs, so that `a.md` and `a.pdf`
 * are two documents.
 */
export function keyOfPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '').replace(MARKDOWN, '');
}
