import { describe, expect, it } from 'vitest';
import { longProse } from './check-documents.ts';

const WIDE = 'word '.repeat(25);

describe('the prose of a page', () => {
  it('has paragraphs of up to six lines, each up to 120 columns', () => {
    expect(longProse('a.md', `${'line\n'.repeat(6)}\n- item\n${'  line\n'.repeat(5)}- item\n`)).toEqual([]);
    expect(longProse('a.md', `${'line\n'.repeat(7)}\n- item\n${'  line\n'.repeat(8)}`)).toEqual([
      'a.md:1: the paragraph has more than 6 lines',
      'a.md:9: the paragraph has more than 6 lines',
    ]);
    expect(longProse('a.md', `line\n${WIDE}\n`)).toEqual(['a.md:2: the line has 125 of at most 120 columns']);
  });

  it('is not code, a table, a heading or a long address', () => {
    const table = `| a |\n|---|\n${'| b |\n'.repeat(7)}`;
    const code = `\`\`\`\n${WIDE}\n${'code\n'.repeat(9)}\`\`\`\n`;
    expect(longProse('a.md', `# ${WIDE}\n\n${table}| ${WIDE} |\n\n${code}- [a](${'x'.repeat(120)})\n`)).toEqual([]);
  });
});
