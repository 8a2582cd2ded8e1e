import { SaxesParser } from 'saxes';
import { decodeText } from './charset.ts';
import { ConversionError } from './contract.ts';
import { MAX_DEPTH, MAX_XML_NODES, tooDeep } from './limits.ts';

/** An element; its name and attributes have the usual prefix of their namespace, whatever prefix the file uses. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlElement | string)[];
}

/**
 * Namespaces of documents, with the prefixes under which their elements are looked up; includes those of ISO "strict"
 * files.
 */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ...['http://schemas.openxmlformats.org/wordprocessingml/2006/main',
    'http://purl.oclc.org/ooxml/wordprocessingml/main'].map((uri) => [uri, 'w'] as const),
  ...['http://schemas.openxmlformats.org/officeDocument/2006/relationships',
    'http://purl.oclc.org/ooxml/officeDocument/relationships'].map((uri) => [uri, 'r'] as const),
  ...['http://schemas.openxmlformats.org/officeDocument/2006/math', 'http://purl.oclc.org/ooxml/officeDocument/math']
    .map((uri) => [uri, 'm'] as const),
  ...['http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing',
    'http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing'].map((uri) => [uri, 'wp'] as const),
  ...['http://schemas.openxmlformats.org/drawingml/2006/main', 'http://purl.oclc.org/ooxml/drawingml/main'].map((uri) =>
    [uri, 'a'] as const
  ),
  ...['http://schemas.openxmlformats.org/drawingml/2006/diagram', 'http://purl.oclc.org/ooxml/drawingml/diagram'].map((
    uri,
  ) => [uri, 'dgm'] as const),
  ...['http://schemas.openxmlformats.org/drawingml/2006/chart', 'http://purl.oclc.org/ooxml/drawingml/chart'].map((
    uri,
  ) => [uri, 'c'] as const),
  ['http://schemas.microsoft.com/office/word/2010/wordml', 'w14'],
  ['http://schemas.openxmlformats.org/markup-compatibility/2006', 'mc'],
  ['http://schemas.openxmlformats.org/package/2006/relationships', ''],
  ['http://schemas.openxmlformats.org/package/2006/content-types', ''],
  ['http://schemas.openxmlformats.org/package/2006/metadata/core-properties', 'cp'],
  ['urn:schemas-microsoft-com:vml', 'v'],
  ['http://www.w3.org/1998/Math/MathML', ''],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://purl.org/dc/terms/', 'dcterms'],
  ['http://www.w3.org/1999/xlink', 'xlink'],
  ...['office', 'text', 'table', 'style', 'drawing:draw', 'xsl-fo-compatible:fo', 'svg-compatible:svg', 'meta',
    'manifest', 'form', 'chart'].map((entry) => {
      const [area, prefix = area] = entry.split(':') as [string, string?];
      return [`urn:oasis:names:tc:opendocument:xmlns:${area}:1.0`, prefix!] as const;
    }),
]);

/**
 * Reads a part of a document as a tree. Entities beyond XML's own five are refused, a document type
 * is skipped, and nothing external is fetched; depth and number of nodes are limited. `part` is its name in messages.
 * @throws ConversionError `damaged`, `too_deep`, `too_large`
 */
export function parseXml(bytes: Uint8Array, part: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [] };
  const stack: XmlElement[] = [root];
  const names = new Names();
  let nodes = 0;
  const parser = new SaxesParser({ xmlns: false });
  const count = () => {
    if ((nodes += 1) > MAX_XML_NODES)
      throw new ConversionError('too_large',
        `holds more than ${MAX_XML_NODES.toLocaleString('en-US')} elements (${part})`);
  };
  parser.on('opentag', (tag) => {
    count();
    const element = names.element(tag.name, tag.attributes as Record<string, string>);
    stack.at(-1)!.children.push(element);
    if (tag.isSelfClosing) return;
    if (stack.length > MAX_DEPTH) throw tooDeep('XML');
    stack.push(element);
  });
  parser.on('closetag', (tag) => {
    if (!tag.isSelfClosing) stack.pop();
  });
  const addText = (text: string) => {
    count();
    stack.at(-1)!.children.push(text);
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('error', (error) => {
    throw new ConversionError('damaged',
      `is damaged: ${part} is no valid XML (${error.message.replace(/^\d+:\d+: /, '').slice(0, 120)})`);
  });
  parser.write(decodeText(bytes, declaredEncoding(bytes)).text).close();
  const top = root.children.find((child) => typeof child !== 'string');
  if (top === undefined || typeof top === 'string')
    throw new ConversionError('damaged', `is damaged: ${part} holds no XML`);
  return top;
}

/** The encoding of `<?xml encoding="..."?>`. */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 200)).toString('latin1');
  return /^<\?xml[^>]{0,100}encoding=["']([\w.-]{1,40})["']/.exec(head)?.[1];
}

/** Renames elements and attributes to the prefix that their namespace has in the table of this file. */
class Names {
  readonly #prefixes = new Map<string, string>();
  readonly #known = new Map<string, string>();

  element(name: string, attributes: Record<string, string>): XmlElement {
    for (const key in attributes) {
      if (key.startsWith('xmlns')) this.#declare(key === 'xmlns' ? '' : key.slice(6), attributes[key]!);
    }
    const named: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const key in attributes) named[key.includes(':') ? this.#name(key) : key] = attributes[key]!;
    return { name: this.#name(name), attributes: named, children: [] };
  }

  #declare(prefix: string, uri: string): void {
    const usual = PREFIXES.get(uri);
    if (usual === undefined || this.#prefixes.get(prefix) === usual) return;
    this.#prefixes.set(prefix, usual);
    this.#known.clear();
  }

  #name(name: string): string {
    let usual = this.#known.get(name);
    if (usual !== undefined) return usual;
    const colon = name.indexOf(':');
    const prefix = colon < 0 ? '' : name.slice(0, colon);
    const replaced = this.#prefixes.get(prefix) ?? prefix;
    usual = replaced === '' ? name.slice(colon + 1) : `${replaced}:${name.slice(colon + 1)}`;
    this.#known.set(name, usual);
    return usual;
  }
}

/** The element children, filtered by name if one is given. */
export function elements(parent: XmlElement | undefined, name?: string): XmlElement[] {
  return (parent?.children.filter((child) =>
    typeof child !== 'string' && (name === undefined || child.name === name)
  ) ?? []) as XmlElement[];
}

export function child(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return parent?.children.find((node) => typeof node !== 'string' && node.name === name) as XmlElement | undefined;
}

/** All the text below an element. */
export function textOf(element: XmlElement | undefined): string {
  return element?.children.map((node) => (typeof node === 'string' ? node : textOf(node))).join('') ?? '';
}
