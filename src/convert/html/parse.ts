import type { Element, Nodes, Root } from 'hast';
import { fromParse5 } from 'hast-util-from-parse5';
import { parse } from 'parse5';
import { charsetOf, type Decoded, decodeText, known } from '../charset.ts';
import { ConversionError } from '../contract.ts';

/** Browsers also stop at 512; unclosed elements of real pages stay below it. */
const MAX_HTML_DEPTH = 512;
/**
 * The encoding must be declared within this many bytes (HTML standard, section 4.2.5.4), but browsers also follow a
 * declaration behind them, where long comments and scripts put it.
 */
const HEAD_BYTES = 1024;
const LATE_BYTES = 256 * 1024;
const DECLARED =
  /<meta[^>]{0,500}?charset\s{0,20}=\s{0,20}["']?([\w.:-]{1,40})|^\s{0,20}<\?xml[^>]{0,200}?encoding\s{0,20}=\s{0,20}["']([\w.:-]{1,40})/i;

/** Decodes HTML with the media type's charset, then with that of `<meta>` or of the XML declaration. */
export function decodeHtml(bytes: Uint8Array, contentType: string | undefined): Decoded {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, LATE_BYTES)).toString('latin1');
  const found = DECLARED.exec(head.slice(0, HEAD_BYTES)) ?? DECLARED.exec(head);
  const declared = known(found?.[1] ?? found?.[2]);
  // A page that was readable as ASCII up to here is not in UTF-16, whatever it declares.
  return decodeText(bytes, charsetOf(contentType) ?? (declared?.startsWith('utf-16') ? 'utf-8' : declared));
}

/**
 * Parses like browsers that run scripts: they accept any input, and `<noscript>` holds a text, the source of its
 * content. Without `scripts` it holds elements.
 * @throws ConversionError `too_deep`
 */
export function parseHtml(source: string, scripts = true): Root {
  const root = fromParse5(parse(source, { scriptingEnabled: scripts })) as Root;
  const open: { node: Nodes; depth: number }[] = [{ node: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > MAX_HTML_DEPTH)
      throw new ConversionError('too_deep', `has elements nested more than ${MAX_HTML_DEPTH} deep`);
    if ('children' in next.node) {
      for (const child of next.node.children) open.push({ node: child, depth: next.depth + 1 });
    }
    if ('content' in next.node && next.node.content !== undefined)
      open.push({ node: next.node.content, depth: next.depth + 1 });
  }
  return root;
}

export function isElement(node: Nodes): node is Element {
  return node.type === 'element';
}

/** The elements below a node that pass the test, in document order; elements inside one that passes are not visited. */
export function findAll(node: Nodes, test: (element: Element) => boolean): Element[] {
  if (isElement(node) && test(node)) return [node];
  return 'children' in node ? node.children.flatMap((child) => findAll(child, test)) : [];
}

export function byName(...names: string[]): (element: Element) => boolean {
  return (element) => names.includes(element.tagName);
}

export function attribute(element: Element | undefined, name: string): string | undefined {
  const value = element?.properties[name];
  return Array.isArray(value)
    ? value.join(' ')
    : value == null || typeof value === 'boolean'
    ? undefined
    : String(value);
}

/** All text below a node, unchanged. */
export function rawText(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map(rawText).join('') : '';
}

/** Number of characters of text below a node, without white space. */
export function textLength(node: Nodes): number {
  if (node.type === 'text') return node.value.replace(/\s+/g, '').length;
  return 'children' in node ? node.children.reduce((sum, child) => sum + textLength(child), 0) : 0;
}

/** The words of an element's class, in lower case. */
export function classes(element: Element): readonly string[] {
  const value = element.properties['className'];
  return Array.isArray(value) ? value.map((name) => String(name).toLowerCase()) : [];
}
