import type { Block } from './blocks.ts';
import { type Inline, inlineText, isBlank, without } from './inlines.ts';

type Paragraph = Extract<Block, { kind: 'paragraph' }>;

/** A long line that ends as sentences do, without characters of code. */
const MAX_LINE = 90;
const SENTENCE = /^\p{L}[^{}<>=$|\\`#]*[.?!:]["”’)]?$/u;
const SIGNS_OF_CODE = /^\s{2}|[{}<>=;$|\\`]|\(\)|--|::|^[#$>%] |^[./]\S+$/;

/**
 * Paragraphs that are completely in a monospaced font: adjacent ones become a block of code if they look like code.
 * Otherwise they are text, because some people write letters in such a font.
 */
export function codeBlocks(blocks: readonly Block[]): Block[] {
  const out: Block[] = [];
  let lines: Paragraph[] = [];
  const end = () => {
    if (lines.length === 0) return;
    out.push(...ended(lines));
    lines = [];
  };
  for (const block of blocks) {
    if (block.kind === 'paragraph' && block.place === undefined && !block.quote &&
      (isTypewriter(block.inlines) || (lines.length > 0 && isBlank(block.inlines))))
    {
      lines.push(block);
      continue;
    }
    end();
    if (block.kind === 'table')
      out.push({
        ...block,
        rows: block.rows.map((row) => ({
          cells: row.cells.map((cell) => ({ ...cell, blocks: codeBlocks(cell.blocks) })),
        })),
      });
    else if (block.kind === 'heading' && isTypewriter(block.inlines))
      out.push({ ...block, inlines: without(block.inlines, 'code') });
    else out.push(block);
  }
  end();
  return out;
}

function ended(paragraphs: readonly Paragraph[]): Block[] {
  const last = paragraphs.findLastIndex(({ inlines }) => !isBlank(inlines));
  const [group, blanks] = [paragraphs.slice(0, last + 1), paragraphs.slice(last + 1)];
  const lines = group.map(({ inlines }) => codeText(inlines));
  if (isCode(lines)) return [{ kind: 'code', text: lines.join('\n') }, ...blanks];
  // A name or command alone on its line is code within text.
  const isName = lines.length === 1 && /^\s*\S{1,40}(?:\s+\S{1,40}){0,3}\s*$/.test(lines[0]!) &&
    !/[.?!:,]$/.test(lines[0]!.trim());
  return isName
    ? [...paragraphs]
    : paragraphs.map((paragraph) => ({ ...paragraph, inlines: without(paragraph.inlines, 'code') }));
}

function isCode(lines: readonly string[]): boolean {
  const written = lines.flatMap((line) => line.split('\n')).filter((line) => line.trim() !== '');
  if (written.length === 0 || written.some((line) => line.length > MAX_LINE && SENTENCE.test(line))) return false;
  return written.length > 1 || SIGNS_OF_CODE.test(written[0]!);
}

/** The text of a paragraph of code, with its line breaks. */
export function codeText(inlines: readonly Inline[]): string {
  return inlines.map((inline) => (inline.kind === 'break' ? '\n' : inlineText([inline]))).join('').replaceAll('\u00a0',
    ' ');
}

function isTypewriter(inlines: readonly Inline[]): boolean {
  return inlines.every((inline) =>
    inline.kind === 'break' || (inline.kind === 'text' && (inline.look.code || inline.value.trim() === ''))
  ) && !isBlank(inlines);
}
