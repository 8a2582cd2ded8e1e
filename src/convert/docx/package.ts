import type { Archive } from '../archive.ts';
import { ConversionError } from '../contract.ts';
import { elements, parseXml, type XmlElement } from '../xml.ts';

/** What a part refers to by an identifier: an address, or another part by its path. */
export interface Relationship {
  readonly type: string;
  readonly target: string;
  readonly external: boolean;
}

/** The parts of a document; the package's relationships locate the main one. */
export class DocxFile {
  readonly #archive: Archive;
  readonly #folder: string;
  readonly #main: string;
  readonly #parsed = new Map<string, XmlElement | undefined>();

  constructor(archive: Archive) {
    this.#archive = archive;
    const target = elements(this.parse('_rels/.rels')).find(({ attributes }) =>
      attributes['Type']?.endsWith('/officeDocument')
    )?.attributes['Target']?.replace(/^\//, '');
    const path = target !== undefined && archive.has(target) ? target : 'word/document.xml';
    this.#folder = path.slice(0, path.lastIndexOf('/') + 1);
    this.#main = path.slice(this.#folder.length);
  }

  /** A part beside the main one, such as `styles`; the main one is `document`. @throws ConversionError */
  part(name: string, needed = false): XmlElement | undefined {
    const path = `${this.#folder}${this.#fileOf(name)}`;
    const part = this.parse(path);
    if (part === undefined && needed) throw new ConversionError('damaged', `is damaged: ${path} is missing`);
    return part;
  }

  /** The relationships of a part by their identifiers. */
  relationships(name: string): Map<string, Relationship> {
    const listed = elements(this.parse(`${this.#folder}_rels/${this.#fileOf(name)}.rels`));
    return new Map(listed.map(({ attributes }) => {
      const external = attributes['TargetMode'] === 'External';
      const target = attributes['Target'] ?? '';
      return [attributes['Id'] ?? '', {
        type: attributes['Type'] ?? '',
        target: external ? target : pathOf(this.#folder, target),
        external,
      }];
    }));
  }

  /** A part by its path, parsed once; undefined if there is none. */
  parse(path: string): XmlElement | undefined {
    if (!this.#parsed.has(path)) {
      const bytes = this.#archive.read(path);
      this.#parsed.set(path, bytes === undefined ? undefined : parseXml(bytes, path));
    }
    return this.#parsed.get(path);
  }

  bytes(path: string): Uint8Array | undefined {
    return this.#archive.read(path);
  }

  #fileOf(name: string): string {
    return name === 'document' ? this.#main : `${name}.xml`;
  }
}

/** The path that a target names; targets are relative to the folder of their part unless they begin with a slash. */
function pathOf(folder: string, target: string): string {
  const parts: string[] = [];
  for (const part of (target.startsWith('/') ? target : folder + target).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
