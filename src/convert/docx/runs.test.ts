import { describe, expect, it } from 'vitest';
import { convert, docx, markdown } from '../test-fixture.ts';

const p = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
const r = (text: string, properties = '') =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const field = (instruction: string, result: string, data = '') =>
  `<w:r><w:fldChar w:fldCharType="begin">${data}</w:fldChar></w:r><w:r><w:instrText>${instruction}</w:instrText></w:r>${
    result === '' ? '' : `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${r(result)}`
  }<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const picture = (attributes: string) =>
  `<w:r><w:drawing><wp:inline><wp:docPr ${attributes}/></wp:inline></w:drawing></w:r>`;
const mono = '<w:rFonts w:ascii="Courier New"/>';
const md = async (body: string, parts = {}) => markdown(await docx(body, parts), 'a.docx');
const RELATIONSHIPS = (list: string) => ({
  'word/_rels/document.xml.rels': `<Relationships>${list}</Relationships>`,
});

describe('runs of a DOCX', () => {
  it('keep superscripts apart from their number', async () => {
    const raised = (text: string) => r(text, '<w:vertAlign w:val="superscript"/>');
    expect(
      await md(
        p(`${r('10')}${raised('-')}${raised('6')}${r(' H')}${r('2', '<w:vertAlign w:val="subscript"/>')}${
          r('O, the 19')
        }${raised('th')}`),
      ),
    ).toBe('10⁻⁶ H₂O, the 19th');
  });

  it('keep descriptions of pictures apart from words', async () => {
    expect(await md(p(r('shows') + picture('descr="A tower"') + r('in') + picture('title="old town"') + r('.')))).toBe(
      'shows ![A tower]() in ![old town]().',
    );
  });

  it('read symbols of fonts, in characters and in text', async () => {
    const body = p(
      '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>' + r(' yes ') +
        r('\uf0a8', '<w:rFonts w:ascii="Wingdings"/>') + r(' no ') + r('a', '<w:rFonts w:ascii="Symbol"/>') +
        '<w:r><w:sym w:font="Wingdings" w:char="F0E0"/></w:r>' + field('SYMBOL 252 \\f "Wingdings"', ''),
    );
    expect(await md(body)).toBe('☒ yes ☐ no α→✓');
  });

  it('read form fields, and leave out prompts', async () => {
    const box = (state: string) => field('FORMCHECKBOX', '', `<w:ffData><w:checkBox>${state}</w:checkBox></w:ffData>`);
    const list = field('FORMDROPDOWN', '',
      '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Oslo"/>' +
        '<w:listEntry w:val="Bergen"/></w:ddList></w:ffData>');
    const prompt = `<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${
      r('Click here.')
    }</w:sdtContent></w:sdt>`;
    expect(
      await md(
        p(`${box('<w:default w:val="1"/>')}${r(' a ')}${box('<w:checked w:val="0"/>')}${r(' b ')}${list}${r(' ')}${
          field('FORMTEXT', 'Ada')
        }${prompt}`),
      ),
    ).toBe('☒ a ☐ b Bergen Ada');
    const cell = (content: string) => `<w:tc>${p(r(content))}</w:tc>`;
    const empty = `<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${cell('Type.')}</w:sdtContent></w:sdt>`;
    expect(await md(`<w:tbl><w:tr>${cell('a')}${empty}${cell('c')}</w:tr></w:tbl>`)).toBe('| a | | c |\n| - | - | - |');
  });

  it('keep links with spaces and places inside their target', async () => {
    const body = p(
      field('HYPERLINK "https://e.example/my file" \\l "part" \\o "A tip"', 'a') + r(' ') +
        `<w:hyperlink r:id="h" w:anchor="x">${r('b')}</w:hyperlink>` + field(' HYPERLINK \\l "top"', ' c'),
    );
    expect(
      await md(body,
        RELATIONSHIPS('<Relationship Id="h" Type="/hyperlink" Target="https://e.example/" TargetMode="External"/>')),
    ).toBe('[a](<https://e.example/my file#part>) [b](https://e.example/#x) c');
  });

  it('keep the text below ruby and a dropped letter with its word', async () => {
    const ruby = `<w:r><w:ruby><w:rt>${r('とう')}</w:rt><w:rubyBase>${r('東')}</w:rubyBase></w:ruby></w:r>`;
    expect(
      await md(
        p(r('私') + ruby) + p(r('O'), '<w:framePr w:dropCap="drop"/>') + p(r('nce')) +
          p(r('E'), '<w:framePr w:dropCap="drop"/>'),
      ),
    ).toBe('私東\n\nOnce\n\nE');
  });

  it('are code where adjacent paragraphs are in a monospaced font, and text where people write so', async () => {
    expect(await md(p(r('Run:')) + p(r('if x:', mono)) + p('') + p(r('    go(x)', mono)) + p(r('End')))).toBe(
      'Run:\n\n```\nif x:\n\n    go(x)\n```\n\nEnd',
    );
    const letter =
      'We thank you for the letter that you sent us in March, and for the many kind words in it, dear Ada.';
    expect(await md(p(r(letter, mono)) + p(r('Yours', mono)))).toBe(`${letter}\n\nYours`);
  });

  it('keep all text boxes of a group', async () => {
    const box = (text: string) => `<wps:txbx><w:txbxContent>${p(r(text))}</w:txbxContent></wps:txbx>`;
    expect(await md(p(`<w:r><w:drawing><wpg:wgp>${box('one')}${box('two')}</wpg:wgp></w:drawing></w:r>`))).toBe(
      'one\n\ntwo',
    );
  });
});

describe('parts of a DOCX', () => {
  const drawing = (content: string) => p(`<w:r><w:drawing><wp:inline>${content}</wp:inline></w:drawing></w:r>`);
  const point = (id: string, text: string, type = '') =>
    `<dgm:pt modelId="${id}" ${type}><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;

  it('are read where drawings show diagrams and charts', async () => {
    const diagram = `<dgm:dataModel><dgm:ptLst>${point('0', '', 'type="doc"')}${point('2', 'second')}${
      point('1', 'first')
    }${point('3', 'inner')}</dgm:ptLst><dgm:cxnLst>${
      ['0 1 0', '0 2 1', '1 3 0', '3 1 0'].map((edge) => edge.split(' ')).map(([from, to, order]) =>
        `<dgm:cxn srcId="${from}" destId="${to}" srcOrd="${order}"/>`
      ).join('')
    }</dgm:cxnLst></dgm:dataModel>`;
    const values = (name: string, ...list: string[]) =>
      `<c:${name}><c:numRef><c:numCache>${
        list.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')
      }</c:numCache></c:numRef></c:${name}>`;
    const chart =
      `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx>` +
      `</c:title><c:plotArea><c:barChart><c:ser>${values('tx', 'North')}${values('cat', '2020', '2021')}${
        values('val', '5', '7')
      }</c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`;
    const body = drawing('<dgm:relIds r:dm="d"/>') + drawing('<c:chart r:id="c"/>');
    expect(await md(body, {
      ...RELATIONSHIPS('<Relationship Id="d" Target="diagrams/d.xml"/><Relationship Id="c" Target="/word/c.xml"/>'),
      'word/diagrams/d.xml': diagram,
      'word/c.xml': chart,
    })).toBe('- first\n  - inner\n- second\n\nSales\n\n| | North |\n| - | - |\n| 2020 | 5 |\n| 2021 | 7 |');
  });

  it('are read by the reader of their format where a file is embedded', async () => {
    const chunk = (id: string) => `<w:altChunk r:id="${id}"/>`;
    const list = ['a html', 'b rtf', 'c txt', 'd bin'].map((entry) => entry.split(' ')).map(([id, extension]) =>
      `<Relationship Id="${id}" Target="${id}.${extension}"/>`
    ).join('');
    const { contentMd, warnings } = await convert(
      await docx(p(r('start')) + chunk('a') + chunk('b') + chunk('c') + chunk('d') + p(r('end')), {
        ...RELATIONSHIPS(list),
        'word/a.html': '<html><body><h2>Offer</h2><p>of <b>work</b></p></body></html>',
        'word/b.rtf': '{\\rtf1 rich\\par}',
        'word/c.txt': 'plain',
        'word/d.bin': '\0\0',
      }),
      'a.docx',
    );
    expect({ contentMd, warnings }).toEqual({
      contentMd: 'start\n\n## Offer\n\nof **work**\n\nrich\n\nplain\n\nend\n',
      warnings: ['The embedded file word/d.bin was not converted.'],
    });
  });
});
