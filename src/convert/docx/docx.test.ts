import { describe, expect, it } from 'vitest';
import { convert, docx, fault, markdown } from '../test-fixture.ts';

const p = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
const r = (text: string, properties = '') =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const style = (id: string, name: string, rest = '') =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${rest}</w:style>`;
const STYLES = `<w:styles>${style('T', 'Title')}${style('H2', 'heading 2')}${
  style('Sub', 'Chapter', '<w:basedOn w:val="H2"/>')
}${style('Q', 'Quote')}${style('C', 'Source Code')}${
  style('O', 'Own', '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>')
}</w:styles>`;
const level = (at: number, format: string) =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/></w:lvl>`;
const NUMBERING = `<w:numbering><w:abstractNum w:abstractNumId="0">${level(0, 'decimal')}${
  level(1, 'bullet')
}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>`;
const item = (text: string, at: number, id = 1) =>
  p(r(text), `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${id}"/></w:numPr>`);
const cell = (text: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${p(r(text))}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;

describe('a DOCX', () => {
  it('keeps headings by name, by ancestor and by outline level', async () => {
    const body = p(r('Top', '<w:b/>'), '<w:pStyle w:val="T"/>') + p(r('Two'), '<w:pStyle w:val="H2"/>') +
      p(r('Also two'), '<w:pStyle w:val="Sub"/>') + p(r('Three'), '<w:pStyle w:val="O"/>') +
      p(r('Four'), '<w:outlineLvl w:val="3"/>');
    expect(await markdown(await docx(body, { 'word/styles.xml': STYLES }), 'a.docx')).toBe(
      '# Top\n\n## Two\n\n## Also two\n\n### Three\n\n#### Four',
    );
  });

  it('keeps emphasis, joined where editors cut words, with white space outside', async () => {
    const body = p(
      r('See ') + r('bo', '<w:b/>') + r('ld ', '<w:b/>') + r('and ', '<w:i/>') +
        r('code', '<w:rFonts w:ascii="Consolas"/>') + r(' off', '<w:b w:val="0"/>') + r(' gone', '<w:vanish/>'),
    );
    expect(await markdown(await docx(body), 'a.docx')).toBe('See **bold** *and* `code` off');
  });

  it('keeps nested lists, their numbers, and where one ends', async () => {
    const body = item('one', 0) + item('inner', 1) + item('two', 0) + p(r('between')) + item('three', 0) +
      item('other', 0, 2);
    expect(await markdown(await docx(body, { 'word/numbering.xml': NUMBERING }), 'a.docx')).toBe(
      '1. one\n   - inner\n2. two\n\nbetween\n\n3. three\n\n1) other',
    );
  });

  it('keeps tables with merged cells, and what stands in cells', async () => {
    const table = `<w:tbl>${row(cell('wide', '<w:gridSpan w:val="2"/>'), cell('c'))}${
      row(cell('tall', '<w:vMerge w:val="restart"/>'), cell('x | y'), cell('z'))
    }${row(cell('', '<w:vMerge/>'), cell('2'), `<w:tc>${p(r('a'))}${p(r('b'))}</w:tc>`)}</w:tbl>`;
    expect(await markdown(await docx(table), 'a.docx')).toBe(
      '| wide | | c |\n| - | - | - |\n| tall | x \\| y | z |\n| | 2 | a<br>b |',
    );
  });

  it('keeps links of relationships and of fields, and notes', async () => {
    const field = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://b.example/" ' +
      '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>' +
      r('field') + '<w:r><w:fldChar w:fldCharType="end"/></w:r>';
    const body = p(
      `<w:hyperlink r:id="L">${r('link')}</w:hyperlink>${r(' and ')}${field}<w:r><w:footnoteReference w:id="7"/></w:r>${
        r('.')
      }`,
    );
    const parts = {
      'word/_rels/document.xml.rels':
        '<Relationships><Relationship Id="L" Type="http://x/hyperlink" Target="https://a.example/" ' +
        'TargetMode="External"/></Relationships>',
      'word/footnotes.xml': `<w:footnotes><w:footnote w:id="7">${p(r('the note'))}</w:footnote></w:footnotes>`,
    };
    expect(await markdown(await docx(body, parts), 'a.docx')).toBe(
      '[link](https://a.example/) and [field](https://b.example/)[^1].\n\n[^1]: the note',
    );
  });

  it('keeps quotes, code, formulas and line breaks', async () => {
    const body = p(r('said'), '<w:pStyle w:val="Q"/>') + p(r('let x;'), '<w:pStyle w:val="C"/>') +
      p(r('  x += 1;'), '<w:pStyle w:val="C"/>') +
      p('<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>') +
      p(`${r('one')}<w:r><w:br/></w:r>${r('two')}`);
    expect(await markdown(await docx(body, { 'word/styles.xml': STYLES }), 'a.docx')).toBe(
      '> said\n\n```\nlet x;\n  x += 1;\n```\n\n$\\frac{a}{b}$\n\none\\\ntwo',
    );
  });

  it('shows the new state of tracked changes, and one of two alternatives', async () => {
    const body = p(
      `${r('a ')}<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins>${
        r('new')
      }</w:ins><w:r><mc:AlternateContent><mc:Choice><w:t> once</w:t></mc:Choice><mc:Fallback><w:t> once</w:t></mc:Fallback></mc:AlternateContent></w:r>`,
    );
    expect(await markdown(await docx(body), 'a.docx')).toBe('a new once');
  });

  it('keeps text from right to left and of other scripts in its order', async () => {
    expect(await markdown(await docx(p(r('שלום עולם', '<w:rtl/>')) + p(r('مرحبا 123')) + p(r('日本語'))), 'a.docx'))
      .toBe('שלום עולם\n\nمرحبا 123\n\n日本語');
  });

  it('says its metadata', async () => {
    const core =
      '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ' +
      'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>A  ' +
      'title</dc:title><dc:creator>Ada; ' +
      'Bob</dc:creator><dc:language>de_DE</dc:language><dcterms:created>2020-01-02T03:04:05Z</dcterms:created><dcterms:modified>yesterday</dcterms:modified></cp:coreProperties>';
    const { meta, converted, format } = await convert(await docx(p(r('x')), { 'docProps/core.xml': core }), 'a.docx');
    expect({ meta, converted, format }).toEqual({
      meta: { title: ['A title'], author: ['Ada', 'Bob'], lang: ['de-DE'], created: ['2020-01-02T03:04:05Z'] },
      converted: true,
      format: 'docx',
    });
  });

  it('is read without its metadata if that is damaged', async () => {
    const file = await docx(p(r('x')), { 'docProps/core.xml': '<cp:coreProperties>' });
    const { contentMd, warnings } = await convert(file, 'a.docx');
    expect([contentMd.trim(), warnings]).toEqual(['x', ['The metadata of the file is damaged and was left out.']]);
  });

  it('is plain text when that is asked for', async () => {
    const body = p(r('Top', '<w:b/>')) + item('one', 0) +
      `<w:tbl>${row(cell('a'), cell('b'))}${row(cell('c'), cell('d'))}</w:tbl>`;
    expect(
      (await convert(await docx(body, { 'word/numbering.xml': NUMBERING }), 'a.docx', { textOnly: true })).contentMd,
    ).toBe('Top\n\none\n\na\tb\nc\td\n');
  });

  it('is refused when it is damaged, nested too deeply or becomes too much', async () => {
    expect(await fault(await docx('<w:p>'), 'a.docx')).toBe('damaged');
    expect(
      await fault(await docx('<w:sdt><w:sdtContent>'.repeat(300) + '</w:sdtContent></w:sdt>'.repeat(300)), 'a.docx'),
    ).toBe('too_deep');
    expect(await fault(await docx(p(r('x'.repeat(2000)))), 'a.docx', { maxOutput: 1000 })).toBe('too_large');
  });
});
