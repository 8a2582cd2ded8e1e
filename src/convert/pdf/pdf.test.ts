import { describe, expect, it } from 'vitest';
import { convert, fault, markdown, pdf, type PdfText } from '../test-fixture.ts';

const lines = (x: number, top: number, texts: readonly string[], size = 10): PdfText[] =>
  texts.map((text, i) => ({ x, y: top - i * size * 1.2, text, size }));
const prose = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${name} line ${i} has some words of prose in it`);
const md = (...pages: Parameters<typeof pdf>[0]) => markdown(pdf(pages), 'a.pdf');

describe('a PDF', () => {
  it('joins lines, and words that were cut at their ends', async () => {
    const texts = lines(72, 700, ['The committee met in the after-', 'noon and spoke of a well-known', 'and well-',
      'known matter of the year.']);
    expect(await md({ texts })).toBe(
      'The committee met in the afternoon and spoke of a well-known and well-known matter of the year.',
    );
  });

  it('reads columns one after the other, below what goes across them', async () => {
    const texts = [{ x: 150, y: 740, text: 'A title across both of the columns of this page', size: 12 },
      ...lines(50, 700, prose('Left', 8)), ...lines(330, 700, prose('Right', 8))];
    const text = await md({ texts });
    expect(text.indexOf('Left line 7')).toBeLessThan(text.indexOf('Right line 0'));
    expect(text.indexOf('title')).toBeLessThan(text.indexOf('Left line 0'));
  });

  it('drops running headers, footers and page numbers', async () => {
    const names = ['Alpha', 'Beta', 'Gamma', 'Delta'];
    const page = (number: number) => ({
      texts: [{ x: 72, y: 760, text: 'Annual Report' }, ...lines(72, 700, prose(names[number - 1]!, 3)), {
        x: 300,
        y: 40,
        text: `Page ${number} of 4`,
      }, { x: 72, y: 25, text: `Confidential ${number}` }],
    });
    const text = await md(page(1), page(2), page(3), page(4));
    expect(text).not.toMatch(/Annual|Confidential|of 4/);
    for (const name of names) expect(text).toContain(`${name} line 0`);
  });

  it('keeps rows of figures at the same place of each page', async () => {
    const page = (number: number) => ({
      texts: lines(72, 700,
        [1, 2, 3].map((row) => [2, 3, 5, 7, 11, 13].map((value) => value * number * row).join(' '))),
    });
    expect(await md(page(1), page(2), page(3))).toContain('18 27 45 63 99 117');
  });

  it('finds headings by their size, lists by their marks, and links', async () => {
    const texts = [{ x: 72, y: 740, text: 'Great', size: 20 }, { x: 72, y: 715, text: 'Small', size: 14 },
      ...lines(72, 690, ['some text of the usual size and length']), ...lines(80, 660, ['\x95 one', '\x95 two']),
      ...lines(80, 620, ['1. first', '2. second'])];
    expect(await md({ texts, link: { url: 'https://a.example/', rect: [70, 685, 300, 702] } })).toBe(
      '# Great\n\n## Small\n\n[some text of the usual size and length](https://a.example/)\n\n- one\n- two\n\n1. ' +
        'first\n2. second',
    );
  });

  it('finds tables by segments below one another', async () => {
    const texts = [['Name', 'Born', 'Town'], ['Ada', '1815', 'London'], ['Emmy', '1882', 'Erlangen']].flatMap((row,
      y) => row.map((text, x) => ({ x: 72 + 150 * x, y: 700 - 14 * y, text }))
    );
    expect(await md({ texts })).toBe(
      '| Name | Born | Town |\n| - | - | - |\n| Ada | 1815 | London |\n| Emmy | 1882 | Erlangen |',
    );
  });

  it('reads pages that are turned', async () => {
    const texts = [0, 1, 2].map((i) => ({
      x: 100 + 12 * i,
      y: 72,
      text: ['Lines of a page', 'that was turned', 'to the side.'][i]!,
    }));
    expect(await md({ texts, rotate: 90 })).toBe('Lines of a page that was turned to the side.');
  });

  it('goes on with a sentence on the next page', async () => {
    expect(await md({ texts: lines(72, 100, ['This sentence goes on']) }, {
      texts: lines(72, 700, ['after the page was turned.']),
    })).toBe('This sentence goes on after the page was turned.');
  });

  it('says its metadata', async () => {
    const { meta } = await convert(
      pdf([{ texts: lines(72, 700, ['x']) }], "/Title(T)/Author(Ada)/CreationDate(D:20070915110231+02'00')"),
      'a.pdf',
    );
    expect(meta).toEqual({ title: ['T'], author: ['Ada'], created: ['2007-09-15T11:02:31+02:00'] });
  });

  it('keeps the text of short pages that are alike', async () => {
    const page = (number: number) => ({
      texts: lines(72, 700, ['Certificate of attendance', 'Workshop on water quality', `Participant no. ${number}`],
        14),
    });
    const text = await md(page(1), page(2), page(3));
    for (const part of ['Certificate', 'Workshop', 'no. 1', 'no. 2', 'no. 3']) expect(text).toContain(part);
    expect(text.match(/Certificate/g)).toHaveLength(1);
  });

  it('says what somebody filled in', async () => {
    const widget = (y: number, entries: string) =>
      `<</Type/Annot/Subtype/Widget/Rect[170 ${y - 6} 370 ${y + 14}]/T(f${y})${entries}>>`;
    const texts = ['Name:', 'Since:', 'News:', 'Paper:', 'Land:'].map((text, i) => ({ x: 72, y: 700 - 20 * i, text }));
    const annotations = [widget(700, '/FT/Tx/V(Ada)'), widget(680, '/FT/Tx/V()'),
      widget(660, '/FT/Btn/V/Yes/AS/Yes/AP<</N<</Yes null/Off null>>>>'),
      widget(640, '/FT/Btn/V/Off/AS/Off/AP<</N<</Yes null/Off null>>>>'),
      widget(620, '/FT/Ch/Ff 131072/Opt[[(no)(Norway)][(se)(Sweden)]]/V(no)'),
      '<</Type/Annot/Subtype/FreeText/Rect[72 560 300 580]/DA(/F1 10 Tf)/Contents(Typed on the page)>>'];
    expect(await md({ texts, annotations })).toBe(
      'Name: Ada\n\nSince:\n\nNews: checked\n\nPaper:\n\nLand: Norway\n\nTyped on the page',
    );
  });

  it('names pages whose text is in pictures', async () => {
    const page = (texts: readonly string[]) => ({ texts: lines(72, 700, texts) });
    const picture = '/Pictures[<</Type/XObject/Subtype/Image>>]';
    const { warnings } = await convert(pdf([page(['a']), page([]), page([]), page(['b']), page([])], '', picture),
      'a.pdf');
    expect(warnings).toEqual([
      'Pages 2–3 and 5 of 5 have no text layer: text in pictures has to be recognised (OCR) first.',
    ]);
    await expect(convert(pdf([page([])]), 'a.pdf')).rejects.toThrow(/are empty/);
    await expect(convert(pdf([page([])], '', picture), 'a.pdf')).rejects.toThrow(/are pictures/);
  });

  it('is refused without text, damaged, or with a password', async () => {
    expect(await fault(pdf([{ texts: [] }]), 'a.pdf')).toBe('no_text');
    expect(await fault('%PDF-1.4\nnothing', 'a.pdf')).toBe('damaged');
    const locked = pdf([{ texts: lines(72, 700, ['x']) }], '',
      `/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<${'00'.repeat(32)}>/U<${'00'.repeat(32)}>>>`);
    expect(await fault(locked, 'a.pdf')).toBe('encrypted');
  });
});
