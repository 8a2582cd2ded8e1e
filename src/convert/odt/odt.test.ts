import { describe, expect, it } from 'vitest';
import { convert, fault, markdown, odt } from '../test-fixture.ts';

const STYLES = `
  <style:style style:name="T1" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
  <style:style style:name="T2" style:family="text"><style:text-properties fo:font-style="italic"/></style:style>
  <style:style style:name="P1" style:family="paragraph" style:parent-style-name="Preformatted_20_Text"/>
  <text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-bullet text:level="2"/></text:list-style>`;
const cell = (text: string, attributes = '') =>
  `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;

describe('an ODT', () => {
  it('keeps headings, emphasis, links and white space as it is written', async () => {
    const text =
      '<text:h text:outline-level="2">Two</text:h><text:p>a <text:span text:style-name="T1">bold</text:span>\n   ' +
      '<text:span text:style-name="T2">slanted</text:span> <text:a ' +
      'xlink:href="https://a.example/">link</text:a>x<text:s ' +
      'text:c="2"/>y<text:tab/>z<text:line-break/>end</text:p>';
    expect(await markdown(await odt(text, STYLES), 'a.odt')).toBe(
      '## Two\n\na **bold** *slanted* [link](https://a.example/)x  y z\\\nend',
    );
  });

  it('keeps nested lists and paragraphs of their items', async () => {
    const text = '<text:list ' +
      'text:style-name="L1"><text:list-item><text:p>one</text:p><text:p>more</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>';
    expect(await markdown(await odt(text, STYLES), 'a.odt')).toBe(
      '1. one\n   more\n   - inner\n2. two'.replace('one\n   more', 'one\n\n   more'),
    );
  });

  it('keeps tables with merged and repeated cells', async () => {
    const text = `<table:table><table:table-header-rows><table:table-row>${
      cell('h', 'table:number-columns-spanned="2"')
    }<table:covered-table-cell/></table:table-row></table:table-header-rows><table:table-row>${
      cell('x', 'table:number-columns-repeated="2"')
    }</table:table-row><table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`;
    expect(await markdown(await odt(text), 'a.odt')).toBe('| h | |\n| - | - |\n| x | x |');
  });

  it('keeps notes and code, and leaves out comments and deleted text', async () => {
    const note = '<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>the ' +
      'note</text:p></text:note-body></text:note>';
    const text =
      `<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:p>text${note}<office:annotation><text:p>comment</text:p></office:annotation>.</text:p><text:p ` +
      'text:style-name="P1">let x;</text:p><text:p text:style-name="P1">x();</text:p>';
    expect(await markdown(await odt(text, STYLES), 'a.odt')).toBe(
      'text[^1].\n\n```\nlet x;\nx();\n```\n\n[^1]: the note',
    );
  });

  it('says its metadata', async () => {
    const meta =
      '<office:document-meta><office:meta><dc:title>T</dc:title><meta:initial-creator>Ada</meta:initial-creator><dc:language>he-IL</dc:language><meta:creation-date>2009-12-16T13:49:43</meta:creation-date></office:meta></office:document-meta>';
    expect((await convert(await odt('<text:p>x</text:p>', '', { 'meta.xml': meta }), 'a.odt')).meta).toEqual({
      title: ['T'],
      author: ['Ada'],
      lang: ['he-IL'],
      created: ['2009-12-16T13:49:43'],
    });
  });

  it('is read without its metadata if that is damaged', async () => {
    const file = await odt('<text:p>x</text:p>', '', { 'meta.xml': '<office:document-meta/> more' });
    const { contentMd, warnings } = await convert(file, 'a.odt');
    expect([contentMd.trim(), warnings]).toEqual(['x', ['The metadata of the file is damaged and was left out.']]);
  });

  it('is refused when it is encrypted, damaged, or repeats too much', async () => {
    const manifest = '<manifest:manifest><manifest:file-entry ' +
      'manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    expect(await fault(await odt('<text:p>x</text:p>', '', { 'META-INF/manifest.xml': manifest }), 'a.odt')).toBe(
      'encrypted',
    );
    expect(await fault(await odt('<text:p>'), 'a.odt')).toBe('damaged');
    const repeats = `<table:table>${
      `<table:table-row table:number-rows-repeated="1000000">${
        cell('x', 'table:number-columns-repeated="1000000"')
      }</table:table-row>`.repeat(200)
    }</table:table>`;
    expect(await fault(await odt(repeats), 'a.odt')).toBe('too_large');
  });
});
