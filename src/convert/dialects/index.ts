import type { Parts } from '../contract.ts';
import { readText } from '../plain/index.ts';
import { withoutImports } from './mdx.ts';
import { type KeyOf, keyOfTarget, withPlainLinks } from './obsidian.ts';

export { type KeyOf, keysOfPaths } from './obsidian.ts';

interface MarkdownOptions {
  readonly contentType?: string | undefined;
  /** The file's name, which tells MDX. */
  readonly name: string;
  /** The key of the document or file that a link names; if absent, the key that an upload of it would have. */
  readonly keyOf?: KeyOf | undefined;
}

/**
 * Markdown that stays unchanged except that its front matter becomes metadata, links and callouts of Obsidian become
 * those of markdown, and imports of MDX are left out.
 */
export function readMarkdown(bytes: Uint8Array, { contentType, name, keyOf = keyOfTarget }: MarkdownOptions): Parts & {
  readonly content: string;
} {
  const parts = readText(bytes, { contentType });
  const content = /\.mdx$/i.test(name) ? withoutImports(parts.content) : parts.content;
  return { ...parts, content: withPlainLinks(content, keyOf) };
}
