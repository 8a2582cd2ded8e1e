import { Archive } from '../archive.ts';
import { ConversionError, type Parts, type ReadOptions } from '../contract.ts';
import { OutputBudget } from '../limits.ts';
import { metadataPart, metaOf } from '../meta.ts';
import { type Block, firstHeading, rootOf } from '../tree/blocks.ts';
import { child, elements, parseXml, textOf, type XmlElement } from '../xml.ts';
import { odtBlocks } from './body.ts';
import { formControls } from './forms.ts';
import { OdtLists } from './lists.ts';
import { OdtObjects } from './objects.ts';
import { OdtStyles } from './styles.ts';

/**
 * An OpenDocument text (OASIS OpenDocument 1.3) as a tree, with its formulas, charts and form values. Headers and
 * footers, comments, deleted text, hidden text and indexes, except bibliographies, are left out.
 * @throws ConversionError
 */
export function readOdt(bytes: Uint8Array, options: ReadOptions): Parts {
  const archive = new Archive(bytes);
  const part = (name: string) => {
    const packed = archive.read(name);
    return packed === undefined ? undefined : parseXml(packed, name);
  };
  refuseEncrypted(part('META-INF/manifest.xml'));
  const content = part('content.xml');
  if (content === undefined) throw new ConversionError('damaged', 'is damaged: content.xml is missing');
  const text = child(child(content, 'office:body'), 'office:text');
  if (text === undefined) throw new ConversionError('damaged', 'is damaged: content.xml holds no text');
  const styles = part('styles.xml');
  const notes = new Map<string, Block[]>();
  const context = {
    styles: new OdtStyles([child(styles, 'office:font-face-decls'), child(content, 'office:font-face-decls'),
      child(styles, 'office:styles'), child(styles, 'office:automatic-styles'),
      child(content, 'office:automatic-styles')]),
    notes,
    budget: new OutputBudget(options.maxOutput),
    lists: new OdtLists(),
    objects: new OdtObjects(part),
    controls: formControls(text),
  };
  const blocks = odtBlocks(text, context);
  const warnings: string[] = [];
  const said = child(metadataPart(() => part('meta.xml'), warnings), 'office:meta');
  const value = (name: string) => textOf(child(said, name));
  return {
    content: rootOf(blocks, notes),
    meta: metaOf({
      title: value('dc:title') || firstHeading(blocks),
      author: value('meta:initial-creator') || value('dc:creator'),
      lang: value('dc:language') || language(styles),
      created: value('meta:creation-date'),
      modified: value('dc:date'),
    }),
    warnings,
    repaired: 0,
  };
}

/** The manifest states how each part was encrypted; the archive itself does not. */
function refuseEncrypted(manifest: XmlElement | undefined): void {
  const sealed = elements(manifest).some((entry) => child(entry, 'manifest:encryption-data') !== undefined);
  if (sealed) throw new ConversionError('encrypted', 'is encrypted with a password');
}

/** The language of the default paragraph style. */
function language(styles: XmlElement | undefined): string | undefined {
  const defaults = elements(child(styles, 'office:styles'), 'style:default-style').find(({ attributes }) =>
    attributes['style:family'] === 'paragraph'
  );
  const { 'fo:language': lang, 'fo:country': country } = child(defaults, 'style:text-properties')?.attributes ?? {};
  return lang === undefined || country === undefined || country === 'none' ? lang : `${lang}-${country}`;
}
