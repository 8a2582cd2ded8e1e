import type { Element, Nodes, Root } from 'hast';
import rehypeParse from 'rehype-parse';
import { unified } from 'unified';
import { ConversionError } from '../contract.ts';
import { charsetOf, decodeText, known, type Decoded } from '../charset.ts';

/** Browsers stop at 512, too; unclosed elements of real pages stay below. */
const MAX_HTML_DEPTH = 512;
/** Where the encoding must stand (HTML standard, section 4.2.5.4). */
const HEAD_BYTES = 1024;

const pages = unified().use(rehypeParse).freeze();

/** The text of HTML: the media type's charset, then that of `<meta>`. */
export function decodeHtml(bytes: Uint8Array, contentType: string | undefined): Decoded {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEAD_BYTES)).toString('latin1');
  const declared = known(/<meta[^>]{0,500}?charset\s{0,20}=\s{0,20}["']?([\w.:-]{1,40})/i.exec(head)?.[1]);
  // A page that could be read as ASCII so far is not in UTF-16, whatever it says.
  return decodeText(bytes, charsetOf(contentType) ?? (declared?.startsWith('utf-16') ? 'utf-8' : declared));
}

/** Parses as browsers do; nothing is too broken. @throws ConversionError `too_deep` */
export function parseHtml(source: string): Root {
  const root = pages.parse(source);
  const open: { node: Nodes; depth: number }[] = [{ node: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > MAX_HTML_DEPTH) throw new ConversionError('too_deep', `has elements nested more than ${MAX_HTML_DEPTH} deep`);
    if ('children' in next.node) for (const child of next.node.children) open.push({ node: child, depth: next.depth + 1 });
  }
  return root;
}

export function isElement(node: Nodes): node is Element {
  return node.type === 'element';
}

/** The elements below a node that pass, in document order; those inside one that passes are not looked at. */
export function findAll(node: Nodes, test: (element: Element) => boolean): Element[] {
  if (isElement(node) && test(node)) return [node];
  return 'children' in node ? node.children.flatMap((child) => findAll(child, test)) : [];
}

export function byName(...names: string[]): (element: Element) => boolean {
  return (element) => names.includes(element.tagName);
}

export function attribute(element: Element | undefined, name: string): string | undefined {
  const value = element?.properties[name];
  return Array.isArray(value) ? value.join(' ') : value == null || typeof value === 'boolean' ? undefined : String(value);
}

/** All text below a node, as it stands in the source. */
export function rawText(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map(rawText).join('') : '';
}

/** Characters of text below a node, white space aside. */
export function textLength(node: Nodes): number {
  if (node.type === 'text') return node.value.replace(/\s+/g, '').length;
  return 'children' in node ? node.children.reduce((sum, child) => sum + textLength(child), 0) : 0;
}
