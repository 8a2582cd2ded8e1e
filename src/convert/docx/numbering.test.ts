import { expect, it } from 'vitest';
import { docx, markdown } from '../test-fixture.ts';

const level = (at: number, format: string, text: string, rest = '') =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${rest}<w:lvlText w:val="${text}"/></w:lvl>`;
const list = (id: number, ...levels: string[]) =>
  `<w:abstractNum w:abstractNumId="${id}">${levels.join('')}</w:abstractNum>`;
const num = (id: number, definition: number, rest = '') =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${definition}"/>${rest}</w:num>`;
const item = (text: string, id: number, at = 0) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${id}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const styled = (text: string, style: string) =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const heading = (depth: number, numPr: string) =>
  `<w:style w:type="paragraph" w:styleId="H${depth}"><w:name w:val="heading ${depth}"/>${
    depth > 1 ? '<w:basedOn w:val="H1"/>' : ''
  }<w:pPr><w:numPr>${numPr}</w:numPr></w:pPr></w:style>`;
const convert = async (body: string, numbering: string, styles = '') =>
  markdown(await docx(body, {
    'word/numbering.xml': `<w:numbering>${numbering}</w:numbering>`,
    'word/styles.xml': `<w:styles>${styles}</w:styles>`,
  }), 'a.docx');

it('numbers headings as Word shows them, by the levels that name their styles', async () => {
  const numbering =
    list(0, level(0, 'upperRoman', 'Part %1', '<w:pStyle w:val="H1"/>'),
      level(1, 'decimal', '%1.%2', '<w:pStyle w:val="H2"/><w:isLgl/>')) + num(1, 0);
  const styles = heading(1, '<w:numId w:val="1"/>') + heading(2, '') + heading(3, '<w:numId w:val="0"/>');
  const body = styled('One', 'H1') + styled('Inner', 'H2') + styled('Two', 'H1') + styled('Inner', 'H2') +
    styled('Plain', 'H3');
  expect(await convert(body, numbering, styles)).toBe(
    '# Part I One\n\n## 1.1 Inner\n\n# Part II Two\n\n## 2.1 Inner\n\n### Plain',
  );
});

it('writes out letters, Roman numbers and clauses, which markdown has no lists for', async () => {
  const numbering =
    list(0, level(0, 'decimal', '%1.'), level(1, 'lowerLetter', '(%2)'), level(2, 'lowerRoman', '(%2)(%3)')) +
    num(1, 0);
  const body = item('fees', 1) + item('first', 1, 1) + item('second', 1, 1) + item('inner', 1, 2) +
    item('inner', 1, 2) +
    item('term', 1);
  expect(await convert(body, numbering)).toBe(
    '1. fees\n   - (a) first\n   - (b) second\n     - (b)(i) inner\n     - (b)(ii) inner\n2. term',
  );
});

it('keeps clauses below a heading as paragraphs with their number', async () => {
  const numbering = list(0, level(0, 'decimal', '%1'), level(1, 'decimal', '%1.%2')) + num(1, 0);
  const body = styled('Payment', 'H1') + item('Fees are due.', 1, 1) + item('So is interest.', 1, 1);
  expect(await convert(body, numbering, heading(1, '<w:numId w:val="1"/>'))).toBe(
    '# 1 Payment\n\n1.1 Fees are due.\n\n1.2 So is interest.',
  );
});

it('continues lists that share a definition, and starts those that start anew', async () => {
  const numbering = list(0, level(0, 'decimal', '%1.')) + num(1, 0) + num(2, 0) +
    num(3, 0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>');
  const body = `${item('a', 1)}${styled('between', '')}${item('b', 2)}${styled('between', '')}${item('c', 3)}`;
  expect(await convert(body, numbering)).toBe('1. a\n\nbetween\n\n2. b\n\nbetween\n\n7. c');
});

it('reads bullets that are boxes as a list of tasks', async () => {
  const box = (character: string, font: string) =>
    level(0, 'bullet', character).replace('</w:lvl>', `<w:rPr><w:rFonts w:ascii="${font}"/></w:rPr></w:lvl>`);
  const numbering = list(0, box('\uf0a8', 'Wingdings')) + list(1, box('☒', 'Arial')) +
    list(2, box('\uf0d8', 'Wingdings')) +
    num(1, 0) + num(2, 1) + num(3, 2);
  expect(await convert(item('open', 1) + item('done', 2) + styled('x', '') + item('plain', 3), numbering)).toBe(
    '- [ ] open\n- [x] done\n\nx\n\n- plain',
  );
});
