import { describe, expect, it } from 'vitest';
import { markdown, pdf, type PdfText } from '../test-fixture.ts';
import { fragmentsByDirection } from './fragments.ts';

type Style = Pick<PdfText, 'size' | 'font'>;
const lines = (x: number, top: number, texts: readonly string[], { size = 10, font }: Style = {}): PdfText[] =>
  texts.map((text, i) => ({ x, y: top - i * size * 1.2, text, size, ...(font === undefined ? {} : { font }) }));
const prose = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${name} line ${i} has some words of prose in it`);
const md = (...pages: Parameters<typeof pdf>[0]) => markdown(pdf(pages), 'a.pdf');

describe('the layout of a page', () => {
  it('has columns beside a narrow gutter', async () => {
    const left = prose('Left', 8).map((line, i) => `${line}${'.'.repeat(i % 2)}`);
    // The lines are 179 points wide.
    const text = await md({ texts: [...lines(50, 700, left), ...lines(239, 700, prose('Right', 8))] });
    expect(text.indexOf('Left line 7')).toBeLessThan(text.indexOf('Right line 0'));
  });

  it('has three columns', async () => {
    const texts = ['One', 'Two', 'Three'].flatMap((name, i) => lines(40 + 190 * i, 700, prose(name, 8)));
    const text = await md({ texts });
    expect(text.indexOf('One line 7')).toBeLessThan(text.indexOf('Two line 0'));
    expect(text.indexOf('Two line 7')).toBeLessThan(text.indexOf('Three line 0'));
  });

  it('has columns with the labels of a figure in one of them', async () => {
    const labels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((text, i) => ({
      x: 330 + 40 * (i % 3),
      y: 700 - 15 * Math.floor(i / 3),
      text,
    }));
    const text = await md({
      texts: [...lines(50, 700, prose('Left', 12)), ...labels, ...lines(330, 650, prose('Right', 8))],
    });
    expect(text.indexOf('Left line 11')).toBeLessThan(text.indexOf('Right line 0'));
  });

  it('has text that is drawn twice', async () => {
    const line = { x: 72, y: 700, text: 'Bold by being drawn twice' };
    expect(await md({ texts: [line, { ...line, x: 72.4 }, { x: 72, y: 688, text: 'and once.' }] })).toBe(
      'Bold by being drawn twice and once.',
    );
  });

  it('has characters that are drawn twice', async () => {
    const widths = [7.22, 5.56, 5.56, 5];
    const drawing = Array.from('Copy', (character, i) => {
      const x = 72 + widths.slice(0, i).reduce((sum, width) => sum + width, 0);
      return [x, x + 0.4].map((at) => `BT /F1 10 Tf ${at} 700 Td (${character}) Tj ET`).join(' ');
    }).join(' ');
    expect(await md({ texts: [], drawing })).toBe('Copy');
  });

  it('has words whose gap is narrow', async () => {
    const drawing = 'BT /F1 10 Tf 72 700 Td (Narrow) Tj 32.3 0 Td ( ) Tj 1 0 Td (gaps) Tj ET';
    expect(await md({ texts: [], drawing })).toBe('Narrow gaps');
  });

  it('has superscripts and subscripts', async () => {
    const texts = [{ x: 72, y: 700, text: 'Take 10' }, { x: 108.2, y: 704, text: '6', size: 6 }, {
      x: 113.5,
      y: 700,
      text: 'parts of H',
    }, { x: 157, y: 698, text: '2', size: 6 }, { x: 160.5, y: 700, text: 'O.' }];
    expect(await md({ texts })).toBe('Take 10⁶ parts of H₂O.');
  });

  it('has headings on two lines', async () => {
    const texts = [...lines(72, 740, ['A review of the quality of', 'water in northern rivers'], { size: 18 }),
      ...lines(72, 690, prose('Body', 3)), ...lines(72, 640, ['1 First', '2 Second'], { size: 14 }),
      ...lines(72, 600, prose('More', 3))];
    const text = await md({ texts });
    expect(text).toContain('# A review of the quality of water in northern rivers\n');
    expect(text).toContain('## 1 First\n\n## 2 Second\n');
  });

  it('has headings that are bold in the size of the text', async () => {
    const bold = { font: 'bold' } as const;
    const texts = [...lines(72, 740, ['1 Introduction'], bold), ...lines(72, 725, prose('Body', 4)),
      ...lines(72, 660, ['1.1 Scope'], bold), ...lines(72, 648, prose('More', 4)),
      ...lines(72, 590, ['This whole sentence is bold.'], bold), ...lines(72, 570, prose('Last', 4))];
    const text = await md({ texts });
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual(['## 1 Introduction', '### 1.1 Scope']);
  });

  it('has tables with cells of several lines', async () => {
    const row = (y: number, ...cells: string[]) => cells.map((text, i) => ({ x: 72 + 150 * i, y, text }));
    const texts = [...row(700, 'Name', 'Task', 'Due'), ...row(687, 'Ada', 'Write the report', 'May'), {
      x: 222,
      y: 675,
      text: 'and send it',
    }, ...row(657, 'Bob and', 'Check', 'June'), { x: 72, y: 645, text: 'his team' },
      ...row(627, 'Cy', 'Publish', 'July')];
    expect(await md({ texts })).toBe(
      '| Name | Task | Due |\n| - | - | - |\n| Ada | Write the report and send it | May |\n' +
        '| Bob and his team | Check | June |\n| Cy | Publish | July |',
    );
  });

  it('has tables without narrow cells', async () => {
    const row = (y: number, name: string) =>
      [0, 1, 2].flatMap((x) =>
        lines(50 + 180 * x, y, [`${name} of column ${x} has`, 'some more words in', 'three lines of text'])
      );
    const text = await md({
      texts: ['First', 'Second', 'Third', 'Fourth'].flatMap((name, i) => row(700 - 44 * i, name)),
    });
    expect(text).toContain('| Second of column 0 has some more words in three lines of text | Second of column 1 ');
  });

  it('has few lines in columns', async () => {
    const text = await md({
      texts: [...lines(50, 700, prose('Left', 3)), { x: 50, y: 664, text: 'Left ends here' },
        ...lines(330, 700, prose('Right', 4))],
    });
    expect(text.indexOf('Left line 2')).toBeLessThan(text.indexOf('Right line 0'));
  });

  it('has titles that are alike on several pages', async () => {
    const page = (title: string, name: string) => ({
      texts: [{ x: 72, y: 740, text: title, size: 20 }, ...lines(72, 700, prose(name, 3))],
    });
    const text = await md(page('Agenda', 'One'), page('Results', 'Two'), page('Results', 'Three'), page('End', 'Four'));
    expect(text.match(/^# .*/gm)).toEqual(['# Agenda', '# Results', '# End']);
  });

  it('has lists whose text is far from its marks', async () => {
    const texts = ['first item is on', 'second item is on', 'third item is on'].flatMap((text, i) => [
      { x: 72, y: 700 - 24 * i, text: `${i + 1}.` },
      { x: 100, y: 700 - 24 * i, text },
      { x: 100, y: 688 - 24 * i, text: 'two lines' },
    ]);
    expect(await md({ texts })).toBe(
      '1. first item is on two lines\n2. second item is on two lines\n3. third item is on two lines',
    );
  });
});

describe('a PDF in Korean or Japanese', () => {
  it('is read with the CMap that its font names', async () => {
    expect(await md({ texts: lines(72, 700, ['水質の報告書', 'です。'], { font: 'UniJIS-UTF16-H' }) })).toBe(
      '水質の報告書です。',
    );
  });

  it('has whole words where its lines end within words', async () => {
    const font = 'UniKS-UTF16-H';
    const cut = lines(72, 700, ['결과를 정리한 것이다. 강과 호수와 지하수이', '며 모든 자료는 봄에 모았다. 밝히려고 하',
      '였다.'], { font });
    expect(await md({ texts: cut })).toBe(
      '결과를 정리한 것이다. 강과 호수와 지하수이며 모든 자료는 봄에 모았다. 밝히려고 하였다.',
    );
    const whole = lines(72, 700, ['결과를 정리한 것이다. 강과 호수와', '모든 자료는 봄에 모았다. 밝히려고', '하였다.'],
      { font });
    expect(await md({ texts: whole })).toBe(
      '결과를 정리한 것이다. 강과 호수와 모든 자료는 봄에 모았다. 밝히려고 하였다.',
    );
  });
});

describe('a PDF in Arabic', () => {
  it('has lam and alef in order where a font draws them as one glyph', () => {
    const item = { dir: 'rtl', width: 50, height: 10, transform: [10, 0, 0, 10, 72, 700] };
    const text = (str: string) => fragmentsByDirection([{ ...item, str }], [])[0]![0]!.text;
    expect(text('تحسين اإلنتاجية واألنماط')).toBe('تحسين الإنتاجية والأنماط');
    expect(text('اآلن االستفادة')).toBe('الآن الاستفادة');
    expect(text('إلى المحللين')).toBe('إلى المحللين');
  });
});
